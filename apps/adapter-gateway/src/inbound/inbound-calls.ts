import type { JsonObject, VerifyWebhookResult } from '#libs/adapter-sdk';
import type { InboundRequest, NormalizedMessage } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { type AdapterCallContext, AdapterClient } from '../adapters/adapter-client.js';
import { wrongVerification } from '../adapters/answer-fields.js';
import { AppCredentials } from '../apps/app-credentials.js';
import type { InstalledAdapter, InstalledApp } from '../apps/installed-apps.js';
import { normalizedMessages } from './normalized-messages.js';

/** A webhook on its way to the adapter of its App. */
export interface Webhook {
  installed: InstalledApp;
  adapter: InstalledAdapter;
  request: InboundRequest;
  /** RFC 3339. */
  receivedAt: string;
  context: AdapterCallContext;
  /** False for a handshake: a record that is not connected yet must not keep it from being answered. */
  needsTokens: boolean;
}

/** What `/parse-inbound` says: its answer as it came, and the messages in it. */
export interface Parsed {
  answer: JsonObject;
  messages: NormalizedMessage[];
}

/** The two calls that a webhook becomes, with one envelope (spec 4.1). */
@Injectable()
export class InboundCalls {
  constructor(
    private readonly credentials: AppCredentials,
    private readonly adapters: AdapterClient,
  ) {}

  /** @returns the scheme that was checked, or why the adapter refused. @throws AdapterError; RunLater */
  async verify(webhook: Webhook): Promise<{ scheme: string } | { error: string }> {
    const result = await this.adapters.post<VerifyWebhookResult>(
      webhook.adapter.baseUrl,
      '/verify-webhook',
      await this.envelope(webhook),
      webhook.context,
      wrongVerification,
    );
    // Naming the scheme is not in the contract (spec 4.1).
    return result.ok
      ? { scheme: shortText(result.scheme) ?? 'adapter' }
      : { error: shortText(result.error) ?? 'refused' };
  }

  /** @throws AdapterError; PermanentFailure `contract_violation`, which the adapter's page shows; RunLater */
  async parse(webhook: Webhook): Promise<Parsed> {
    const { baseUrl } = webhook.adapter;
    const answer = await this.adapters.post<JsonObject>(
      baseUrl,
      '/parse-inbound',
      await this.envelope(webhook),
      webhook.context,
    );
    return { answer, messages: this.adapters.reading(baseUrl, () => normalizedMessages(answer)) };
  }

  private async envelope({ installed, request, receivedAt, needsTokens }: Webhook): Promise<object> {
    return {
      credentials: await (needsTokens ? this.credentials.of(installed) : this.credentials.ofConnected(installed)),
      request,
      received_at: receivedAt,
      ...(installed.app.self ? { self: installed.app.self } : {}),
    };
  }
}

/** A text that Postgres takes, for a reason in the timeline. */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 200) : null;
}
