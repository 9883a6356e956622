import { decisionIn, type SentDecision, type TurnInput, turnRun } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { type Approval, isPerson } from '../../entities/approval.entity.js';
import { ApprovalRepository, type Decided, type Decision } from './approval.repository.js';
import type { TurnScope } from '../tools/tool.js';

/** People's decisions on calls. Each is made once, by an approver that the agent names. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly jobClient: JobClient,
    private readonly journal: Journal,
  ) {}

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

  /** Nobody has decided in time. */
  async expire(id: string): Promise<void> {
    await this.settle(id, { state: 'expired', by: 'clock', note: null, actor: null });
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

const notTheirs = 'This choice is not for you, or there is no such call any more.';

/**
 * Decisions that contacts send: a press of a choice that they were asked with, or exactly `approve apr_…` or `refuse
 * apr_…`. No model reads or writes them.
 */
@Injectable()
export class SpokenDecisions {
  constructor(
    private readonly approvals: ApprovalService,
    private readonly rows: ApprovalRepository,
  ) {}

  /** @returns the answer; null when the message is no decision of an admitted contact */
  async of(turn: TurnScope, input: TurnInput): Promise<string | null> {
    const decision = decisionIn(input.message);
    if (!decision) return null;
    const { contactId } = turn;
    if (!turn.trusted || turn.trust !== 'known' || contactId === null) {
      // Nobody else can have a choice from us; words may be anything.
      return 'token' in decision.by ? notTheirs : null;
    }
    const id = await this.approvalOf(decision, turn.projectId, contactId);
    if (id === null) return notTheirs;
    if (turn.rehearsal) return `This is a rehearsal: nothing was decided about ${id}.`;
    try {
      const { tool } = await this.approvals.decide(turn, `contact:${contactId}`, id, decision.state, null);
      return `The call of ${tool} was ${decision.state}.`;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.detail;
    }
  }

  private async approvalOf({ by }: SentDecision, projectId: string, contactId: string): Promise<string | null> {
    if ('approval' in by) return by.approval;
    return (await this.rows.askOf(projectId, contactId, by.token))?.approval_id ?? null;
  }
}
