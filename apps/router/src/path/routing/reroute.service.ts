import { Journal } from '#libs/journal';
import { askerOf, type KeyedRequest, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { WholeTurn } from '../handover/target.js';
import { TurnHandover } from '../handover/turn-handover.service.js';
import { routeOf } from './arrival-entries.js';
import { draftOf } from './draft.js';
import type { MessageRow } from '../../entities/message.entity.js';
import { type Plan, runIdsOf, turnsOf } from './plan.js';
import { ProjectRules } from '../rules/project-rules.js';
import { type Released, RoutingRepository } from './routing.repository.js';

/** Routes stored messages again: because a person asked for it, or released what was kept from routing. */
@Injectable()
export class Rerouter {
  constructor(
    private readonly repository: RoutingRepository,
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
    const { plans, ...made } = await this.repository.commitAgain(
      messages.map((row) => ({ rules, draft: draftOf(row, { ...options, replay: true, startedBy: askerOf(caller) }) })),
      asked,
    );
    this.tell(plans, caller.subject, options.deliver ? 'with_delivery' : 'without_delivery', !options.deliver);
    return { turns: turnsOf(plans), ...made };
  }

  /**
   * Releases messages that were held, paused, dropped or parked, each once.
   * @returns the messages released by this call, or by the first one under the same key
   */
  async release(caller: Principal, messageIds: string[], asked: KeyedRequest | null): Promise<Released> {
    const { organizationId, projectId, subject } = caller;
    const rules = await this.rules.of(projectId);
    const ruled = (row: MessageRow) => ({
      rules,
      draft: draftOf(row, { replay: false, deliver: true, startedBy: null }),
    });
    const { plans, ...answer } = await this.repository.release(
      organizationId,
      projectId,
      messageIds,
      subject,
      ruled,
      asked,
    );
    this.tell(plans, subject, 'released');
    return answer;
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
