import { mayLagHeader, type ProjectScope } from '#libs/contracts';
import { inSpan, traceparent } from '#libs/telemetry';
import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { Agent, request } from 'undici';
import type { Principal } from './principal.js';
import { Problem } from './problem.js';
import { type Audience, ServiceTokens } from './service-tokens.js';

/** How a long call is made. */
export interface Followed {
  /** Absent: as all calls. */
  timeoutMs?: number;
  /** Ends the call, and closes its connection. */
  signal?: AbortSignal;
  /** Gets what the other service says before its answer, if it answers in lines of JSON. */
  onLine: (line: unknown) => void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls another service's routes with the rights of a person or key. */
export interface CallerClient {
  /** @param gone ends the call. @throws Problem as `ServiceClient.get`, and the reason of the signal */
  get<T>(path: string, gone?: AbortSignal): Promise<T>;
  /** @throws Problem as `get` */
  post<T>(path: string, body?: unknown): Promise<T>;
  /** @throws Problem as `get` */
  patch<T>(path: string, body: unknown): Promise<T>;
}

/** Calls another service's internal routes with a token of this service. */
export class ServiceClient {
  private readonly agent: Agent;

  constructor(
    private readonly audience: Audience,
    private readonly baseUrl: string,
    private readonly tokens: ServiceTokens,
    private readonly timeoutMs = 5_000,
  ) {
    this.agent = new Agent({
      connections: 32,
      connect: { timeout: 2_000 },
      bodyTimeout: timeoutMs,
      headersTimeout: timeoutMs,
    });
  }

  /** @throws Problem with the other service's status and code; 503 `service_unavailable` when it does not answer */
  get<T>(path: string, scope: ProjectScope): Promise<T> {
    return this.call<T>('GET', path, scope, undefined);
  }

  /**
   * As `get`, of rows that may be old. @param mayLagMs how old; absent: they may not. @throws Problem as `get`
   */
  getLagging<T>(path: string, scope: ProjectScope, mayLagMs: number | undefined): Promise<T> {
    return this.call<T>('GET', path, scope, undefined, mayLagMs ? { [mayLagHeader]: String(mayLagMs) } : {});
  }

  /** @throws Problem as `get` */
  post<T>(path: string, scope: ProjectScope, body: unknown): Promise<T> {
    return this.call<T>('POST', path, scope, JSON.stringify(body));
  }

  /** As `post`, and the other service answers from no cache. @throws Problem as `get` */
  postUncached<T>(path: string, scope: ProjectScope, body: unknown): Promise<T> {
    return this.call<T>('POST', path, scope, JSON.stringify(body), { 'cache-control': 'no-cache' });
  }

  /** As `post`, for a call that may be long. @throws Problem as `get`, and the reason of its signal */
  follow<T>(path: string, scope: ProjectScope, body: unknown, how: Followed): Promise<T> {
    return this.call<T>('POST', path, scope, JSON.stringify(body), { accept: 'application/x-ndjson' }, how);
  }

  /** @throws Problem as `get` */
  put<T>(path: string, scope: ProjectScope, body: unknown): Promise<T> {
    return this.call<T>('PUT', path, scope, JSON.stringify(body));
  }

  /** @throws Problem as `get` */
  patch<T>(path: string, scope: ProjectScope, body: unknown): Promise<T> {
    return this.call<T>('PATCH', path, scope, JSON.stringify(body));
  }

  /** @throws Problem as `get` */
  delete<T>(path: string, scope: ProjectScope): Promise<T> {
    return this.call<T>('DELETE', path, scope, undefined);
  }

  /**
   * The same for somebody who was authenticated here: the other service checks that caller's scopes, and its audit log
   * names that caller. Only the portal may.
   */
  as(caller: Principal): CallerClient {
    const call = async <T>(method: Method, path: string, body?: unknown, how?: Followed): Promise<T> => {
      const headers = {
        authorization: `Bearer ${await this.tokens.mint(this.audience, caller)}`,
        ...(caller.requestId === undefined ? {} : { 'x-request-id': caller.requestId }),
      };
      return this.call<T>(method, path, caller, body === undefined ? undefined : JSON.stringify(body), headers, how);
    };
    return {
      get: (path, gone) => call('GET', path, undefined, gone && { signal: gone, onLine: () => undefined }),
      post: (path, body) => call('POST', path, body),
      patch: (path, body) => call('PATCH', path, body),
    };
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private call<T>(
    method: Method,
    path: string,
    scope: ProjectScope,
    body: string | undefined,
    headers: Record<string, string> = {},
    how?: Followed,
  ): Promise<T> {
    const about = { 'http.request.method': method, 'server.address': this.audience };
    return inSpan(`${method} ${this.audience}`, 'client', about, () =>
      this.send<T>(method, path, scope, body, headers, how),
    );
  }

  private async send<T>(
    method: Method,
    path: string,
    scope: ProjectScope,
    body: string | undefined,
    headers: Record<string, string>,
    how?: Followed,
  ): Promise<T> {
    const timeoutMs = how?.timeoutMs ?? this.timeoutMs;
    const authentication = headers['authorization'] ? {} : await this.tokens.headers(this.audience, scope);
    const parent = traceparent();
    let answer;
    let text;
    try {
      answer = await request(`${this.baseUrl}${path}`, {
        method,
        dispatcher: this.agent,
        headers: {
          ...headers,
          ...authentication,
          ...(parent === undefined ? {} : { traceparent: parent }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        bodyTimeout: timeoutMs,
        headersTimeout: timeoutMs,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(how?.signal ? [how.signal] : [])]),
      });
      if (how && answer.headers['content-type'] === 'application/x-ndjson') {
        return jsonOf(await lastLine(answer.body, how.onLine), this.audience) as T;
      }
      text = await answer.body.text();
    } catch (error) {
      if (error instanceof Problem) throw error;
      how?.signal?.throwIfAborted();
      const waits = { 'retry-after': '2' };
      const what = wasLate(error) ? `did not answer within ${timeoutMs / 1_000} s` : 'does not answer';
      const problem = new Problem(503, 'service_unavailable', `${this.audience} ${what}.`, [], waits);
      problem.cause = error;
      throw problem;
    }
    if (answer.statusCode < 300) return (text ? jsonOf(text, this.audience) : null) as T;
    throw problemOf(answer.statusCode, text, this.audience);
  }
}

const lateCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

function wasLate(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || ('code' in error && lateCodes.includes(String(error.code)));
}

/** Whether a call failed because its answer took too long: the other service may be busy, and not away. */
export const isLate = (problem: Problem): boolean => wasLate(problem.cause);

/** Reads lines of JSON. @param onLine gets each but the last. @returns the last one */
async function lastLine(body: AsyncIterable<Buffer>, onLine: (line: unknown) => void): Promise<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    // The answer is the line that nothing follows.
    for (const line of lines) onLine(JSON.parse(line));
  }
  return rest;
}

/** @throws Problem 502: something other than the service answered, which may be temporary */
function jsonOf(text: string, audience: Audience): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(502, 'service_error', `${audience} answered something that is not JSON.`);
  }
}

function problemOf(status: number, text: string, audience: Audience): Problem {
  try {
    const body = JSON.parse(text) as { code?: string; detail?: string };
    return new Problem(status, body.code ?? 'service_error', body.detail ?? `${audience} answered ${status}.`);
  } catch {
    return new Problem(status, 'service_error', `${audience} answered ${status}.`);
  }
}

/**
 * Another service's client, with a token of this service. @param timeoutMs of a call; absent: `ServiceClient`'s default
 */
export function serviceClientProvider(
  token: InjectionToken,
  audience: Audience,
  url: string,
  timeoutMs?: number,
): FactoryProvider<ServiceClient> {
  return {
    provide: token,
    useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens, timeoutMs),
    inject: [ServiceTokens],
  };
}
