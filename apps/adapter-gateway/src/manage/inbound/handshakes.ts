import { isJsonObject, wholeNumberAsText } from '#libs/adapter-sdk';
import type { HandshakeResult, InboundRequest } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { withRetries } from '../adapter-calls/with-retries.js';
import { AppService } from '../apps/app.service.js';
import { InstalledApps } from '../../path/apps/installed-apps.js';
import { InboundCalls } from '../../path/inbound/inbound-calls.js';
import { isChallenge } from '../../path/inbound/normalized-messages.js';

type HandshakeAnswer = NonNullable<HandshakeResult['answer']>;

/** A request that may be a handshake, and what the ingress knows about it. */
export interface PossibleHandshake {
  request: InboundRequest;
  /** RFC 3339. */
  received_at: string;
  /** The ingress has checked its signature, or there is none to check. */
  verified: boolean;
  /** The manifest declares the answer: the adapter only has to accept the signature. */
  declared: boolean;
}

/**
 * Handshakes that need the adapter: it checks the signature, and `/parse-inbound` gives the answer. A POST is parsed
 * only after it is verified. A GET carries nothing that a provider signs, and is never a message.
 */
@Injectable()
export class Handshakes {
  constructor(
    private readonly apps: AppService,
    private readonly installed: InstalledApps,
    private readonly calls: InboundCalls,
  ) {}

  /** @throws Problem 404; those of `withRetries` when the adapter gives no answer or a wrong one */
  async answer(caller: Principal, appId: string, asked: PossibleHandshake): Promise<HandshakeResult> {
    await this.apps.get(caller, appId);
    return withRetries(() => this.ask(caller, appId, asked), { attempts: 1, budgetMs: 0 });
  }

  private async ask(caller: Principal, appId: string, asked: PossibleHandshake): Promise<HandshakeResult> {
    const installed = await this.installed.get(appId);
    const { adapter } = installed;
    if (!adapter) return { answer: null };
    const { request, received_at: receivedAt, verified, declared } = asked;
    const webhook = { installed, adapter, request, receivedAt, context: caller, needsTokens: false };
    if (request.method === 'POST' && !verified) {
      const result = await this.calls.verify(webhook);
      if ('error' in result) return { refused: { error: result.error }, answer: null };
    }
    if (declared) return { answer: null };
    const { answer } = await this.calls.parse(webhook);
    return { answer: isChallenge(answer) ? answerOf(answer['challenge_response']) : null };
  }
}

/** A text or a number is answered as text/plain. An object gives status, headers and body itself. */
function answerOf(given: unknown): HandshakeAnswer | null {
  const response = typeof given === 'number' ? String(wholeNumberAsText(given)) : given;
  if (typeof response === 'string') return { status: 200, headers: headersOf({}), body: response };
  if (!isJsonObject(response)) return null;
  const { status, headers, body } = response;
  return {
    status: typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 499 ? status : 200,
    headers: headersOf(isJsonObject(headers) ? headers : {}),
    body: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  };
}

/** Served from this installation's own origin: echoed content must not become a page or set a cookie there. */
function headersOf(given: Record<string, unknown>): Record<string, string> {
  const extra = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    const lower = name.toLowerCase();
    return typeof value === 'string' && /^(x-[a-z0-9-]+|validation-token)$/.test(lower) && !/[^\x20-\x7e]/.test(value)
      ? [[lower, value]]
      : [];
  });
  const type = Object.entries(given).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const json = typeof type === 'string' && /^application\/json\b/i.test(type);
  return {
    ...Object.fromEntries(extra),
    'content-type': json ? 'application/json' : 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
}
