import { type Credentials, isJsonObject, type JsonObject, redactSecrets, WEBHOOK_REFUSALS } from '#libs/adapter-sdk';
import type { InboundRequest, NormalizedMessage, ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { AdapterError, type FailedAnswer } from '../adapters/adapter-answer.js';
import { AdapterClient } from '../adapters/adapter-client.js';
import { wrongVerification } from '../adapters/answer-fields.js';
import { AppCredentials, RefusedCalls, refusedTokenCode } from '../apps/app-credentials.js';
import type { InstalledAdapter, InstalledApp } from '../apps/installed-apps.js';
import { normalizedMessages } from './normalized-messages.js';

/** A webhook on its way to the adapter of its App. */
export interface Webhook {
  installed: InstalledApp;
  adapter: InstalledAdapter;
  request: InboundRequest;
  /** RFC 3339. */
  receivedAt: string;
  context: ProjectScope;
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

/** Why an adapter does not accept a webhook: a code, and its words for a person. */
export interface WebhookRefused {
  error: string;
  words: string | null;
}

/** Statuses that alone say that the request is not accepted. Any other one may mean that the route is missing. */
const refusing = new Set([400, 401, 403]);

/** A text for the timeline: cut, and without what Postgres refuses (U+0000, half of a surrogate pair). */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 200).toWellFormed() : null;
}

/** Reads an `ok: false` of `/verify-webhook`, without the secrets that it may quote. */
export function webhookRefused({ error, message }: JsonObject, credentials: Credentials): WebhookRefused {
  return { error: safeText(error, credentials) ?? 'refused', words: safeText(message, credentials) };
}

/**
 * Reads a 4xx of `/verify-webhook` that a retry would give again, without the secrets that it may quote.
 * @returns null when it says nothing about the webhook
 */
export function webhookRefusedByStatus(
  { status, body, words: answerWords }: FailedAnswer,
  credentials: Credentials,
): WebhookRefused | null {
  if (!refusing.has(status) && body?.['ok'] !== false) return null;
  const error = WEBHOOK_REFUSALS.find((code) => code === body?.['error']) ?? 'bad_signature';
  const words = `/verify-webhook answered ${status}${answerWords === null || answerWords === error ? '' : `: ${answerWords}`}`;
  return { error, words: safeText(words, credentials) };
}

/** Redacts before it cuts: no part of a secret stays at the end. */
function safeText(value: unknown, credentials: Credentials): string | null {
  return shortText(typeof value === 'string' ? redactSecrets(value, credentials) : null);
}
