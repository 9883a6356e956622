import { turnRun } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { notFound, type Page, pageOf, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import type { ApprovalQuery } from './approval.dto.js';
import { type Approval, isPerson } from '../entities/approval.entity.js';
import { ApprovalRepository, type Decided, type Decision } from './approval.repository.js';

const sweepBatch = 100;

/** People's decisions on calls. Each is made once, by an approver that the agent names. Undecided calls expire. */
@Injectable()
export class ApprovalService extends Sweeping {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly jobClient: JobClient,
    private readonly journal: Journal,
    @Inject(SETTINGS) settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'approvals',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: (limit) => this.expire(limit),
    });
  }

  async list(caller: Principal, query: ApprovalQuery): Promise<Page<Approval>> {
    const rows = await this.approvals.list(caller, {
      state: query.state ?? null,
      receiptId: query.event_id ?? null,
      search: query.search ?? null,
      limit: query.limit,
      cursor: query.cursor ?? null,
      order: query.order,
    });
    return pageOf(rows, query.limit, (approval) => approval.id);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<Approval> {
    const approval = await this.approvals.find(caller, id);
    if (!approval) throw notFound('approval', id);
    return approval;
  }

  /**
   * @param by `key:<id>`, `user:<id>` or `contact:<id>`
   * @throws Problem 404; 403 `not_an_approver`, `own_request`; 409 `approval_decided`
   */
  async decide(
    caller: Pick<Principal, 'organizationId' | 'projectId' | 'requestId' | 'person'>,
    by: string,
    id: string,
    state: 'approved' | 'refused',
    note: string | null,
  ): Promise<Approval> {
    const approval = await this.approvals.find(caller, id);
    if (!approval) throw notFound('approval', id);
    if (!approval.approvers.includes(by)) {
      throw new Problem(403, 'not_an_approver', `${by} is not one of the approvers that the agent names.`);
    }
    const isOwn = approval.requested_by.some((asker) => asker === by || asker === caller.person);
    if (isOwn && !(approval.decide_own && isPerson(by))) {
      const what = 'started the turn that asks for this call, so another approver has to decide.';
      // An owner who is alone has no colleague to ask.
      const alone = isPerson(by)
        ? ' If there is no other approver, the agent can let its approvers decide over their own turns (approvers_decide_own).'
        : '';
      const asked = approval.requested_by.includes(by) ? by : `${by} acts for ${caller.person}, who`;
      throw new Problem(403, 'own_request', `${asked} ${what}${alone}`);
    }
    const decided = await this.settle(id, { state, by, note, actor: { ...caller, subject: by } });
    if (decided) return decided.approval;
    const now = (await this.approvals.find(caller, id))?.state ?? approval.state;
    throw new Problem(409, 'approval_decided', `The approval is ${now === 'pending' ? 'past its deadline' : now}.`);
  }

  private async expire(limit: number): Promise<number> {
    const overdue = await this.approvals.overdue(limit);
    for (const id of overdue) await this.settle(id, { state: 'expired', by: 'clock', note: null, actor: null });
    return overdue.length;
  }

  private async settle(id: string, decision: Decision): Promise<Decided | null> {
    const decided = await this.approvals.decide(id, decision);
    if (!decided) return null;
    const { approval, resumed } = decided;
    this.journal.append({
      receipt_id: approval.receipt_id,
      organization_id: approval.organization_id,
      project_id: approval.project_id,
      app_id: approval.app_id,
      stage: 'turn',
      outcome: 'ok',
      reason: `approval_${decision.state}`,
      subject_id: approval.turn_id,
      detail: { approval: id, tool: approval.tool, by: decision.by },
    });
    // If Redis does not accept the job now, the turn sweeper finds the turn.
    if (resumed) await this.jobClient.enqueue(turnRun, resumed);
    return decided;
  }
}
