import { decisionIn, type SentDecision, type TurnInput } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { TurnScope } from '../tools/tool.js';
import { ApprovalAskRepository } from './approval-ask.repository.js';
import { ApprovalService } from './approval.service.js';

const notTheirs = 'This choice is not for you, or there is no such call any more.';

/**
 * Decisions that contacts send: a press of a choice that they were asked with, or exactly `approve apr_…` or `refuse
 * apr_…`. No model reads or writes them.
 */
@Injectable()
export class SpokenDecisions {
  constructor(
    private readonly approvals: ApprovalService,
    private readonly asks: ApprovalAskRepository,
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
    return (await this.asks.ofToken(projectId, contactId, by.token))?.approval_id ?? null;
  }
}
