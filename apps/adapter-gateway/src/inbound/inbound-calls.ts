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
    // The contract does not require a name for the scheme (spec 4.1).
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

/** A text for a reason in the timeline: cut, and without U+0000, which Postgres refuses. */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 200) : null;
}
