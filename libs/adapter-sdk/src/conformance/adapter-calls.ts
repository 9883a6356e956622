import { randomUUID } from 'node:crypto';
import { isJsonObject, parseJson, type JsonObject } from '../json-value.js';
import type { SecretInput } from '../secret-strength.js';
import { signStandardWebhooks } from '../standard-webhooks.js';

export interface Answer {
  /** The call, for example `POST /verify {...}`. */
  request: string;
  status: number;
  contentType: string;
  headers: Headers;
  text: string;
  /** The body if it is a JSON object with JSON's content type; undefined otherwise. */
  json: JsonObject | undefined;
  durationMs: number;
}

/** No answer: no connection, or none in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(
    readonly request: string,
    reason: string,
  ) {
    super(reason);
  }
}

/** The part of `fetch` that the kit uses. */
export type SendCall = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; redirect: 'manual'; signal: AbortSignal },
) => Promise<Pick<Response, 'status' | 'headers' | 'text'>>;

export interface CallSettings {
  url: string;
  /** Signs the calls as the platform does. */
  secret?: SecretInput;
  timeoutMs: number;
  /** Used instead of `fetch`. */
  send?: SendCall;
  /** Sees every answer. */
  onAnswer: (answer: Answer) => void;
}

/** Calls one instance of the adapter as the platform does: signed, with the context headers, no redirects. */
export class AdapterCalls {
  constructor(private readonly settings: CallSettings) {}

  /** @throws NoAnswer */
  get(path: string): Promise<Answer> {
    return this.send('GET', path, undefined);
  }

  /** @throws NoAnswer */
  post(path: string, body: unknown): Promise<Answer> {
    return this.send('POST', path, JSON.stringify(body));
  }

  /** @throws NoAnswer */
  async send(method: string, path: string, body: string | undefined): Promise<Answer> {
    const request = `${method} ${path}${body === undefined ? '' : ` ${body}`}`;
    const id = `call_${randomUUID()}`;
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      const response = await (this.settings.send ?? fetch)(this.settings.url + path, {
        method,
        redirect: 'manual',
        signal,
        headers: {
          'x-organization-id': 'org_conformance',
          'x-project-id': 'prj_conformance',
          'x-request-id': id,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(body !== undefined &&
            this.settings.secret && { ...signStandardWebhooks({ secret: this.settings.secret, id, body }) }),
        },
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const contentType = response.headers.get('content-type') ?? '';
      const parsed = /^application\/json\b/i.test(contentType) ? parseJson(text) : undefined;
      const answer: Answer = {
        request,
        status: response.status,
        contentType,
        headers: response.headers,
        text,
        json: isJsonObject(parsed) ? parsed : undefined,
        durationMs: performance.now() - startedAt,
      };
      this.settings.onAnswer(answer);
      return answer;
    } catch (error) {
      throw new NoAnswer(request, signal.aborted ? `no answer within ${this.settings.timeoutMs} ms` : reasonOf(error));
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `no answer: ${error.cause.message}` : `no answer: ${error.message}`;
}
