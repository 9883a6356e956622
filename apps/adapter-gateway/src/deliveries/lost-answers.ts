import { type Credentials, deliverFailure, type DeliverResponse, wholeNumberAsText } from '#libs/adapter-sdk';
import { Injectable } from '@nestjs/common';
import { type AdapterCallContext, AdapterClient } from '../adapters/adapter-client.js';
import { AdapterError } from '../adapters/adapter-answer.js';
import type { InstalledAdapter } from '../apps/installed-apps.js';
import { wrongLookup } from '../adapters/answer-fields.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';

export const answerLostCode = 'answer_lost';

/** The provider may have the message, and the adapter cannot tell yet: it is asked again before anything is sent. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
  readonly code = answerLostCode;

  constructor(cause: unknown) {
    super(`not known whether it arrived: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Outcome of one attempt. `unknown`: it may have arrived and nobody can tell; the text says why, for a person.
 * `violation`: because the answer of the adapter breaks the contract.
 */
export type AttemptResult = DeliverResponse | { unknown: string; violation?: true };

/** A message that was sent, or a part of one. */
interface SentMessage {
  delivery: DeliveryRow;
  /** Its idempotency key. */
  key: string;
  adapter: InstalledAdapter;
  credentials: Credentials;
}

export const personDecides =
  'The adapter has no look-up, so nobody can tell whether it arrived: see at the provider, then mark it as delivered or redrive it.';

/** Settles messages of which no answer says whether they arrived (docs/decisions/0009). */
@Injectable()
export class LostAnswers {
  constructor(private readonly adapters: AdapterClient) {}

  /** The answer was lost. Looks the message up where the adapter can; retries where it promises to honour the key. */
  async settle(sent: SentMessage, reason: string): Promise<AttemptResult> {
    const { message } = sent.adapter.manifest;
    if (message?.idempotent) return deliverFailure('provider_unavailable', reason);
    if (!message?.lookup) return { unknown: `${reason}. ${personDecides}` };
    const found = await this.lookUp(sent);
    return found ?? deliverFailure('provider_unavailable', reason);
  }

  /**
   * The answer breaks the contract, so it does not tell whether the message arrived. It is never sent again on its own,
   * whatever the adapter promises: the next answer would be no better.
   * @throws AdapterError `contract_violation` when the provider does not have it
   */
  async settleViolation(sent: SentMessage, violation: string): Promise<AttemptResult> {
    const broken = `The adapter broke the contract: ${violation}.`;
    if (!sent.adapter.manifest.message?.lookup) return { unknown: `${broken} ${personDecides}`, violation: true };
    const found = await this.lookUp(sent);
    if (found) return found;
    const missing = `${broken} Its look-up says that the message did not arrive: fix the adapter, then redrive it.`;
    throw new AdapterError('contract_violation', missing, true);
  }

  /** @returns null when the provider does not have it. @throws AnswerLost while the adapter cannot tell either */
  async lookUp({ delivery, key, adapter, credentials }: SentMessage): Promise<DeliverResponse | null> {
    const { channel_address: asked, thread_id: threadId } = delivery.content.target;
    const body = {
      credentials,
      idempotency_key: key,
      channel_address: delivery.moved_to ?? asked,
      ...(threadId ? { thread_id: threadId } : {}),
    };
    try {
      const answer = await this.adapters.post<{ found: boolean; message_id?: string | number | null }>(
        adapter.baseUrl,
        '/deliver/lookup',
        body,
        contextOf(delivery),
        wrongLookup,
      );
      return answer.found ? { ok: true, message_id: String(wholeNumberAsText(answer.message_id ?? key)) } : null;
    } catch (error) {
      throw new AnswerLost(error);
    }
  }
}

export function contextOf({ organization_id: organizationId, project_id: projectId }: DeliveryRow): AdapterCallContext {
  return { organizationId, projectId };
}
