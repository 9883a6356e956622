import { type Credentials, isJsonObject, type JsonObject } from '#libs/adapter-sdk';
import type { InboundRequest, NormalizedMessage } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { type AdapterCallContext, AdapterClient } from '../adapters/adapter-client.js';
import { AdapterError } from '../adapters/adapter-answer.js';
import type { InstalledAdapter, InstalledApp } from '../apps/installed-apps.js';
import { wrongVerification } from '../adapters/answer-fields.js';
import { AppCredentials } from '../apps/app-credentials.js';
import { RefusedCalls, refusedTokenCode } from '../apps/refused-calls.js';
import { normalizedMessages } from './normalized-messages.js';
import { shortText, type WebhookRefused, webhookRefused, webhookRefusedByStatus } from './webhook-refusal.js';

/** A webhook on its way to the adapter of its App. */
export interface Webhook {
  installed: InstalledApp;
  adapter: InstalledAdapter;
  request: InboundRequest;
  /** RFC 3339. */
  receivedAt: string;
  context: AdapterCallContext;
  /** False for a handshake: it is answered even while a credential is not connected yet. */
  needsTokens: boolean;
}

/** The answer of `/parse-inbound` as received, and the messages in it. */
export interface Parsed {
  answer: JsonObject;
  messages: NormalizedMessage[];
}

/** The two adapter calls for a webhook; both send the same envelope (spec 4.1). */
@Injectable()
export class InboundCalls {
  constructor(
    private readonly credentials: AppCredentials,
    private readonly refused: RefusedCalls,
    private readonly adapters: AdapterClient,
  ) {}

  /**
   * Before it refuses, it makes sure that it has the secrets that are in force.
   * @returns the scheme that was checked, or why the adapter refused
   * @throws AdapterError; RunLater, also while a credential is missing; Problem of the vault
   */
  async verify(webhook: Webhook): Promise<{ scheme: string } | WebhookRefused> {
    const used = await this.credentialsFor(webhook);
    const first = await this.verifyWith(webhook, used);
    if ('scheme' in first) return first;
    const now = await this.credentials.rechecked(webhook.installed);
    return isDeepStrictEqual(now, used) ? first : this.verifyWith(webhook, now);
  }

  private async verifyWith(webhook: Webhook, credentials: Credentials): Promise<{ scheme: string } | WebhookRefused> {
    const { baseUrl } = webhook.adapter;
    const body = envelope(webhook, credentials);
    const { context } = webhook;
    try {
      const result = await this.adapters.post<JsonObject>(baseUrl, '/verify-webhook', body, context, wrongVerification);
      // The contract does not require a name for the scheme (spec 4.1).
      return result['ok'] === true
        ? { scheme: shortText(result['scheme']) ?? 'adapter' }
        : webhookRefused(result, credentials);
    } catch (error) {
      const refused =
        error instanceof AdapterError && error.refusal ? webhookRefusedByStatus(error.refusal, credentials) : null;
      if (refused === null) throw error;
      return refused;
    }
  }

  /** @throws AdapterError; PermanentFailure `contract_violation`, which the adapter's page shows; RunLater */
  async parse(webhook: Webhook): Promise<Parsed> {
    const { baseUrl } = webhook.adapter;
    const { context, installed } = webhook;
    const answer = await this.refused.retried(
      installed,
      () => this.credentialsFor(webhook),
      (credentials) =>
        this.adapters.post<JsonObject>(baseUrl, '/parse-inbound', envelope(webhook, credentials), context),
      lacksMessages,
    );
    return { answer, messages: this.adapters.reading(baseUrl, () => normalizedMessages(answer)) };
  }

  private credentialsFor({ installed, needsTokens }: Webhook): Promise<Credentials> {
    return needsTokens ? this.credentials.forWork(installed) : this.credentials.ofConnected(installed);
  }
}

/** The provider refused to give the messages that the webhook only announces. */
function lacksMessages({ ok, error, metadata }: JsonObject): boolean {
  const missing = isJsonObject(metadata) ? metadata['messages_unavailable'] : undefined;
  return (ok === false ? error : missing) === refusedTokenCode;
}

function envelope({ installed, request, receivedAt }: Webhook, credentials: Credentials): object {
  const { self } = installed.app;
  return { credentials, request, received_at: receivedAt, ...(self ? { self } : {}) };
}
