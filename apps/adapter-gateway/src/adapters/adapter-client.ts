import { secretList, signStandardWebhooks } from '#libs/adapter-sdk';
import { type Egress, EgressError } from '#libs/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { AdapterError } from './adapter-error.js';
import { Breaker } from './breaker.js';

export const egressToken = Symbol('egress');

export interface AdapterCallContext {
  organizationId: string;
  projectId: string;
  traceparent?: string | undefined;
}

/** The only caller of adapters: signs, bounds and checks every call (spec 4.1, 5). */
@Injectable()
export class AdapterClient implements OnApplicationShutdown {
  readonly breaker = new Breaker();
  private readonly secrets: string[];

  constructor(
    @Inject(egressToken) private readonly egress: Egress,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {
    this.secrets = secretList(settings.GATEHOUSE_ADAPTER_SECRET?.split(',') ?? []);
  }

  /** @throws AdapterError; RunLater while the adapter's circuit is open */
  get<T>(baseUrl: string, path: string, context: AdapterCallContext): Promise<T> {
    return this.call<T>('GET', baseUrl, path, '', context);
  }

  /** @throws AdapterError; RunLater while the adapter's circuit is open */
  async post<T>(baseUrl: string, path: string, body: object, context: AdapterCallContext): Promise<T> {
    this.breaker.check(baseUrl);
    try {
      const answer = await this.call<T>('POST', baseUrl, path, JSON.stringify(body), context);
      this.breaker.succeeded(baseUrl);
      return answer;
    } catch (error) {
      // A contract violation is the adapter's bug with this message, not its absence.
      if (error instanceof AdapterError && error.code !== 'contract_violation') this.breaker.failed(baseUrl);
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  private async call<T>(
    method: 'GET' | 'POST',
    baseUrl: string,
    path: string,
    body: string,
    context: AdapterCallContext,
  ): Promise<T> {
    let answer;
    try {
      answer = await this.egress.fetch(`${baseUrl}${path}`, {
        method,
        headers: this.headers(method, body, context),
        ...(method === 'POST' ? { body } : {}),
        timeoutMs: this.settings.ADAPTER_TIMEOUT_MS,
        maxResponseBytes: this.settings.ADAPTER_MAX_RESPONSE_BYTES,
        maxRedirects: 0,
        onTooLarge: 'fail',
      });
    } catch (error) {
      throw toAdapterError(error, path);
    }
    if (answer.status < 200 || answer.status > 299) {
      const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
      throw new AdapterError(
        'provider_unavailable',
        `${path} answered ${answer.status}`,
        answer.status < 500,
        retryAfterMs,
      );
    }
    return parseAnswer<T>(answer.headers['content-type'], answer.body, path);
  }

  private headers(method: string, body: string, context: AdapterCallContext): Record<string, string> {
    const id = `call_${randomUUID()}`;
    return {
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      'x-organization-id': context.organizationId,
      ...(context.projectId ? { 'x-project-id': context.projectId } : {}),
      'x-request-id': id,
      ...(context.traceparent ? { traceparent: context.traceparent } : {}),
      ...(this.secrets.length > 0 ? signStandardWebhooks({ secret: this.secrets, id, body }) : {}),
    };
  }
}

function toAdapterError(error: unknown, path: string): AdapterError {
  if (!(error instanceof EgressError)) throw error;
  const code = error.code === 'timeout' ? 'timeout' : 'provider_unavailable';
  return new AdapterError(code, `${path}: ${error.code}`, !error.sent);
}

function parseAnswer<T>(contentType: string | string[] | undefined, body: Buffer, path: string): T {
  if (!/^application\/json\b/i.test(String(contentType ?? ''))) {
    throw new AdapterError('contract_violation', `${path} did not answer application/json`, false);
  }
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  } catch {
    // Said below, for both kinds of wrong.
  }
  throw new AdapterError('contract_violation', `${path} did not answer a JSON object`, false);
}

/** `Retry-After` in ms: seconds or an HTTP date; null when absent or unreadable. Capped at an hour. */
export function readRetryAfter(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), 3_600_000);
}
