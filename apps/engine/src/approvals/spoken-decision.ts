import type { TurnInput } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { TurnScope } from '../tools/tool.js';
import { ApprovalService } from './approval.service.js';

/** Decisions that contacts write: exactly `approve apr_…` or `refuse apr_…`. No model reads or writes them. */
@Injectable()
export class SpokenDecisions {
  constructor(private readonly approvals: ApprovalService) {}

  /** @returns the answer; null when the message is no decision of an admitted contact */
  async of(turn: TurnScope, input: TurnInput): Promise<string | null> {
    const [, word, id] = /^\s*(approve|refuse)\s+(apr_[0-9a-f]{32})\s*$/i.exec(input.message.message) ?? [];
    if (!word || !id || !turn.trusted || turn.trust !== 'known' || turn.contactId === null) return null;
    if (turn.rehearsal) return `This is a rehearsal: nothing was decided about ${id.toLowerCase()}.`;
    const state = word.toLowerCase() === 'approve' ? 'approved' : 'refused';
    try {
      const { tool } = await this.approvals.decide(turn, `contact:${turn.contactId}`, id.toLowerCase(), state, null);
      return `The call of ${tool} was ${state}.`;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.detail;
    }
  }
}
