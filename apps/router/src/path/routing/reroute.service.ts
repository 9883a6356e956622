import type { Queryable } from '#libs/database';
import { Journal } from '#libs/journal';
import { askerOf, type KeyedRequest, once, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { TurnHandover, type WholeTurn } from '../handover/turn-handover.service.js';
import { routeOf } from './arrival-entries.js';
import { draftOf } from './draft.js';
import type { MessageRow } from '../../entities/message.entity.js';
import { Planner, type Ruled } from './planner.js';
import { type Plan, runIdsOf, turnsOf } from './plan.js';
import { ProjectRules, type Rules } from '../rules/project-rules.js';
import { type Release, RoutingStore } from './routing.store.js';

export interface Released {
  /** The messages that were released. */
  released: string[];
  run_ids: string[];
}

/** Routes stored messages again: because a person asked for it, or released what was kept from routing. */
@Injectable()
export class Rerouter {
  constructor(
    private readonly store: RoutingStore,
    private readonly planner: Planner,
    private readonly rules: ProjectRules,
    private readonly handover: TurnHandover,
    private readonly journal: Journal,
  ) {}

  /**
   * Routes messages of the caller's project by today's rules, however often it is called.
   * @param options.deliver whether replies are sent again
   * @param options.workflowId runs only this workflow; `agentId`: only a turn of this agent
   * @param options.replayOf the run that the new one is linked to
   * @param asked the caller's key, under which only the first call does anything
   * @returns the turns created by this call, and the runs and turns created by it or by an earlier one under the key
   * @throws Problem 422 `idempotency_key_reused`
   */
  async replay(
    caller: Principal,
    messages: MessageRow[],
    options: { deliver: boolean; workflowId?: number; agentId?: string; replayOf?: string },
    asked: KeyedRequest | null,
  ): Promise<{ turns: WholeTurn[]; run_ids: string[]; turn_ids: string[] }> {
    const { workflowId } = options;
    const rules = await this.rules.of(caller.projectId, workflowId === undefined ? [] : [workflowId]);
    const startedBy = askerOf(caller);
    const ruled = messages.map((row) => ({ rules, draft: draftOf(row, { ...options, replay: true, startedBy }) }));
    const { plans, ...made } = await this.store.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.write(tx, ruled);
        return { run_ids: runIdsOf(plans), turn_ids: turnsOf(plans).map(({ turn_id }) => turn_id) };
      });
      return { plans, ...answer };
    });
    this.tell(plans, caller.subject, options.deliver ? 'with_delivery' : 'without_delivery', !options.deliver);
    return { turns: turnsOf(plans), ...made };
  }

  /**
   * Releases messages that were held, paused, dropped or parked, each once.
   * @returns the messages released by this call, or by the first one under the same key
   */
  async release(caller: Principal, messageIds: string[], asked: KeyedRequest | null): Promise<Released> {
    const { organizationId, projectId, subject: by } = caller;
    const rules = await this.rules.of(projectId);
    const { plans, ...answer } = await this.store.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.releaseIn(tx, { messageIds, organizationId, projectId, by }, rules);
        return { released: plans.map(({ message }) => message.id), run_ids: runIdsOf(plans) };
      });
      return { plans, ...answer };
    });
    this.tell(plans, by, 'released');
    return answer;
  }

  /** Routes the held messages of a sender that has just paired. */
  async continuePaired(tx: Queryable, { draft, senderContext, decision }: Plan, rules: Rules): Promise<Plan[]> {
    if (decision.reason !== 'paired' || !senderContext) return [];
    const messageIds = await this.store.heldOf(tx, senderContext);
    const { organization_id: organizationId, project_id: projectId } = draft;
    return this.releaseIn(tx, { messageIds, organizationId, projectId, by: 'pairing' }, rules);
  }

  /** A message that nothing takes stays kept. */
  private async releaseIn(tx: Queryable, which: Release, rules: Rules): Promise<Plan[]> {
    const released = await this.store.release(tx, which);
    const plans = await this.write(
      tx,
      released.map((row) => ({ rules, draft: draftOf(row, { replay: false, deliver: true, startedBy: null }) })),
    );
    const [taken, left] = [true, false].map((is) =>
      plans.filter((plan) => is === (plan.decision.outcome === 'routed')),
    );
    await this.store.keep(
      tx,
      (left ?? []).map(({ message }) => message.id),
    );
    return taken ?? [];
  }

  private async write(tx: Queryable, batch: Ruled[]): Promise<Plan[]> {
    const plans = await this.planner.within(tx, batch);
    await this.handover.keep(tx, turnsOf(plans));
    return plans;
  }

  /** Enqueues committed turns, and records that in the timelines. */
  tell(plans: Plan[], by: string, reason: string, rehearsal = false): void {
    this.handover.enqueue(turnsOf(plans));
    for (const plan of plans) {
      const { message } = plan;
      this.journal.append({
        receipt_id: message.receipt_id,
        organization_id: message.organization_id,
        project_id: message.project_id,
        app_id: message.app_id,
        stage: 'routed',
        outcome: 'replayed',
        reason,
        subject_id: message.id,
        detail: {
          by,
          now: message.outcome,
          verdicts: message.verdicts,
          ...routeOf(plan.decision),
          run_ids: runIdsOf([plan]),
          ...(rehearsal ? { rehearsal: true } : {}),
        },
      });
    }
  }
}
