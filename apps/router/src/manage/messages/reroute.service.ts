import { Database } from '#libs/database';
import { askerOf, type KeyedRequest, once, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { MessageRow } from '../../entities/message.entity.js';
import type { WholeTurn } from '../../path/handover/turn-handover.service.js';
import { draftOf } from '../../path/routing/draft.js';
import { type Plan, runIdsOf, turnsOf } from '../../path/routing/plan.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { ProjectRules } from '../../path/rules/project-rules.js';

export interface Released {
  /** The messages that were released. */
  released: string[];
  run_ids: string[];
}

/** Routes stored messages again: because a person asked for it, or released what was kept from routing. */
@Injectable()
export class Rerouter {
  constructor(
    private readonly db: Database,
    private readonly routing: RoutingService,
    private readonly rules: ProjectRules,
  ) {}

  /**
   * Routes messages of the caller's project by today's rules, however often it is called.
   * @param options.deliver whether replies are sent again
   * @param options.workflowId runs only this workflow; `agentId`: only a turn of this agent
   * @param options.replayOf the run that the new one is linked to
   * @param asked the caller's key, under which only the first call does anything
   * @returns the turns created by this call, and the runs and turns created by it or by an earlier one under the key
   * @throws Problem 422 `idempotency_key_reused`, 409 `event_erased`
   */
  async replay(
    caller: Principal,
    messages: MessageRow[],
    options: { deliver: boolean; workflowId?: number; agentId?: string; replayOf?: string },
    asked: KeyedRequest | null,
  ): Promise<{ turns: WholeTurn[]; run_ids: string[]; turn_ids: string[] }> {
    if (messages.some(({ message }) => message.metadata?.['erased'] !== undefined)) {
      throw new Problem(409, 'event_erased', 'The data of its sender was erased, so there is no message to replay.');
    }
    const { workflowId } = options;
    const rules = await this.rules.of(caller.projectId, workflowId === undefined ? [] : [workflowId]);
    const startedBy = askerOf(caller);
    const ruled = messages.map((row) => ({ rules, draft: draftOf(row, { ...options, replay: true, startedBy }) }));
    const { plans, ...made } = await this.db.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.routing.reroute(tx, ruled);
        return { run_ids: runIdsOf(plans), turn_ids: turnsOf(plans).map(({ turn_id }) => turn_id) };
      });
      return { plans, ...answer };
    });
    this.routing.enqueueRerouted(
      plans,
      caller.subject,
      options.deliver ? 'with_delivery' : 'without_delivery',
      !options.deliver,
    );
    return { turns: turnsOf(plans), ...made };
  }

  /**
   * Releases messages that were held, paused, dropped or parked, each once.
   * @returns the messages released by this call, or by the first one under the same key
   */
  async release(caller: Principal, messageIds: string[], asked: KeyedRequest | null): Promise<Released> {
    const { organizationId, projectId, subject: by } = caller;
    const rules = await this.rules.of(projectId);
    const { plans, ...answer } = await this.db.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.routing.releaseIn(tx, { messageIds, organizationId, projectId, by }, rules);
        return { released: plans.map(({ message }) => message.id), run_ids: runIdsOf(plans) };
      });
      return { plans, ...answer };
    });
    this.routing.enqueueRerouted(plans, by, 'released');
    return answer;
  }
}
