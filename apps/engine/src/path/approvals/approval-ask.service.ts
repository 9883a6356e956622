import { approvalChoices, approvalValue, scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { Journal } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { Problem, ServiceClient } from '#libs/service-kit';
import { type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import type { ApprovalAsk } from '../../entities/approval.entity.js';
import { ApprovalAskRepository, type AskedApproval } from './approval-ask.repository.js';
import { askText } from './ask-text.js';
import { sendInPrivate } from './private-message.js';

const sweepBatch = 20;

/**
 * Asks the contacts among an approval's approvers in a conversation that they alone have with an App. An ask ends with
 * its approval: nobody is asked about a call that was decided.
 */
@Injectable()
export class ApprovalAskService extends Sweeping {
  private readonly policy: Policy;

  constructor(
    private readonly asks: ApprovalAskRepository,
    private readonly router: ServiceClient,
    private readonly journal: Journal,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    // Until the call counts as refused.
    this.policy = {
      tries: Number.MAX_SAFE_INTEGER,
      backoff: { baseMs: 1_000, capMs: 60_000 },
      jitter: 0.2,
      ageMs: null,
      failuresAge: false,
    };
    this.sweepEvery({
      name: 'approval-asks',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: async (limit) => {
        const due = await asks.claimDue(limit);
        await Promise.all(due.map((ask) => this.settle(ask)));
        return due.length;
      },
    });
  }

  private async settle(ask: ApprovalAsk): Promise<void> {
    const approval = await this.asks.approval(ask.approval_id);
    let verdict: Verdict = { do: 'done' };
    let deliveryId: string | null = null;
    try {
      if (approval?.state !== 'pending') throw new PermanentFailure('approval_decided', 'the approval is decided');
      deliveryId = await this.deliver(ask, approval);
    } catch (error) {
      verdict = outcomeOf(error);
    }
    const settlement = settlementOf(ask.id, ask, verdict, this.policy);
    await this.asks.settle(settlement, deliveryId);
    if (approval && settlement.due_in_ms === null) this.note(ask, approval, settlement.reason, deliveryId);
  }

  private async deliver(ask: ApprovalAsk, approval: AskedApproval): Promise<string> {
    const owner = scopeOf(ask);
    const value = approvalValue(ask.token);
    const message = {
      text: askText(approval, this.settings.APPROVAL_ASK_CHARS),
      actions: approvalChoices.map((choice) => ({ ...choice, value })),
    };
    return sendInPrivate({ router: this.router, gateway: this.gateway }, owner, ask.contact_id, message, {
      key: `approval_ask:${ask.id}`,
      // The same in every try, like all that the key stands for.
      ttlSeconds: Math.ceil((approval.expires_at.getTime() - approval.created_at.getTime()) / 1_000),
    });
  }

  /** @param reason why the contact was not asked; null: it was */
  private note(ask: ApprovalAsk, approval: AskedApproval, reason: string | null, deliveryId: string | null): void {
    if (reason === 'approval_decided') return;
    const { receipt_id, organization_id, project_id, app_id, turn_id, tool } = approval;
    this.journal.append({
      receipt_id,
      organization_id,
      project_id,
      app_id,
      stage: 'turn',
      outcome: 'running',
      reason: reason === null ? 'approval_asked' : 'approval_not_asked',
      // Of no subject: the turn waits, and its own last entry says so.
      detail: {
        turn: turn_id,
        approval: approval.id,
        tool,
        contact: ask.contact_id,
        ...(deliveryId === null ? {} : { delivery_id: deliveryId }),
        ...(reason === null ? {} : { error: reason, advice: adviceFor(reason) }),
      },
    });
  }
}

/** A refusal stays one. A key that was used has sent the message, whose words or address have changed since. */
function outcomeOf(error: unknown): Verdict {
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) return verdictOf(error);
  return error.code === 'idempotency_key_reused' ? { do: 'done' } : { do: 'dead', code: error.code };
}

function adviceFor(reason: string): string {
  return reason === 'no_private_address'
    ? 'Nobody else may read the call, so the contact is asked only where it writes to an App alone. Have it write to the App directly once; until then, decide in the console.'
    : 'Decide in the console, or have the contact write the words of the approval.';
}
