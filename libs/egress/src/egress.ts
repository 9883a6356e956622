import type { Socket } from 'node:net';
import { Agent, Pool } from 'undici';
import { allowList } from './allow-list.js';
import { EgressError } from './egress-error.js';
import { exchange, type ExchangeResponse } from './exchange.js';
import { guardedConnector, systemResolver, type Resolver } from './guarded-connector.js';
import { guardedSocket } from './guarded-socket.js';
import { firstHop, redirectHop } from './hop.js';
import { openExchange, type OpenResponse } from './open-exchange.js';

export interface EgressSettings {
  /** Allowed besides the public internet: `host`, `host:port`, `[v6]:port`, an address or a CIDR block. */
  allow?: readonly string[];
  timeouts?: Partial<EgressTimeouts>;
  /** Default for calls that set none: 10 MiB. */
  maxResponseBytes?: number;
  /** Default for calls that set none: 3. */
  maxRedirects?: number;
  /** Open sockets per origin; further calls wait, within their own timeout. Default 128. */
  connectionsPerOrigin?: number;
  /** Default 4 s: below the 5 s after which Node servers close, so that a call seldom meets a closing socket. */
  keepAliveMs?: number;
  userAgent?: string;
  /** PEM of the only authority to trust for https; the system's authorities when absent. */
  ca?: string;
  /** Resolves names; the system's resolver when absent. */
  resolve?: Resolver;
}

export interface EgressTimeouts {
  connectMs: number;
  /** A call's own `timeoutMs` replaces it, so that a patient caller may wait longer. */
  headersMs: number;
  bodyIdleMs: number;
  totalMs: number;
}

export interface EgressRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs?: number;
  maxResponseBytes?: number;
  /** 0 returns the redirect itself. */
  maxRedirects?: number;
  /** What happens to a response over the limit: cut off and marked (default), or `response_too_large`. */
  onTooLarge?: 'truncate' | 'fail';
  signal?: AbortSignal;
}

export type EgressOpenRequest = Omit<EgressRequest, 'maxRedirects' | 'onTooLarge'> & {
  /** Longest silence within the body; the egress's own limit when absent. */
  bodyIdleMs?: number;
};

/** `url` is the address that answered, after redirects. */
export interface EgressResponse extends ExchangeResponse {
  url: string;
}

export interface Egress {
  /** @throws EgressError only */
  fetch(url: string | URL, request?: EgressRequest): Promise<EgressResponse>;
  /**
   * Like `fetch`, for answers that arrive in pieces (SSE): resolves when the headers have arrived. Follows no
   * redirects. `timeoutMs` covers only the headers; the body is bounded by `maxResponseBytes` and by `bodyIdleMs` of
   * silence.
   * @throws EgressError; later the body's stream fails with one
   */
  open(url: string | URL, request?: EgressOpenRequest): Promise<OpenResponse>;
  /**
   * A plain TCP socket, for protocols other than HTTP, under the same rules about where it may lead. The caller closes
   * it.
   * @throws EgressError only
   */
  connect(host: string, port: number): Promise<Socket>;
  /** Waits for calls in flight, then closes all sockets. */
  close(): Promise<void>;
}

const TIMEOUTS: EgressTimeouts = { connectMs: 5_000, headersMs: 30_000, bodyIdleMs: 15_000, totalMs: 30_000 };

/**
 * HTTP to addresses that a person entered or a server named. Only public addresses and those on the allow-list are
 * reached. The check applies to the bytes of the very addresses that the socket uses.
 * @throws RangeError for an allow-list entry that cannot be parsed
 */
export function createEgress(settings: EgressSettings = {}): Egress {
  const timeouts = { ...TIMEOUTS, ...settings.timeouts };
  const maxBytes = settings.maxResponseBytes ?? 10 * 1024 * 1024;
  const maxRedirects = settings.maxRedirects ?? 3;
  const defaults = { 'user-agent': settings.userAgent ?? 'gatehouse', 'accept-encoding': 'gzip, deflate, br' };
  const connector = {
    allow: allowList(settings.allow ?? []),
    resolve: settings.resolve ?? systemResolver,
    connectTimeoutMs: timeouts.connectMs,
    ca: settings.ca,
  };
  const agent = new Agent({
    allowH2: false,
    connections: settings.connectionsPerOrigin ?? 128,
    keepAliveTimeout: settings.keepAliveMs ?? 4_000,
    factory: (origin, options) =>
      new Pool(origin, { ...options, connect: guardedConnector(new URL(origin), connector) }),
  });

  async function fetch(url: string | URL, request: EgressRequest = {}): Promise<EgressResponse> {
    const totalMs = request.timeoutMs ?? timeouts.totalMs;
    const deadline = performance.now() + totalMs;
    const mayFollow = request.maxRedirects ?? maxRedirects;
    let followed = 0;
    let hop = firstHop(url, request.method ?? 'GET', { ...defaults, ...request.headers }, request.body);
    for (;;) {
      const sent = followed > 0;
      const response = await exchange(agent, hop, {
        totalMs: sent ? Math.max(1, deadline - performance.now()) : totalMs,
        headersMs: request.timeoutMs ?? timeouts.headersMs,
        bodyIdleMs: timeouts.bodyIdleMs,
        maxResponseBytes: request.maxResponseBytes ?? maxBytes,
        onTooLarge: request.onTooLarge ?? 'truncate',
        signal: request.signal,
      }).catch((error: unknown) => {
        throw sent ? afterRedirect(error) : error;
      });
      const next = mayFollow === 0 ? undefined : redirectHop(hop, response.status, response.headers['location']);
      if (!next) return { ...response, url: hop.url.href };
      if (++followed > mayFollow) throw new EgressError('too_many_redirects', `over ${mayFollow} redirects`, true);
      hop = next;
    }
  }

  async function open(url: string | URL, request: EgressOpenRequest = {}): Promise<OpenResponse> {
    // Uncompressed if the server complies: a compressed stream reaches its reader late.
    const headers = { ...defaults, 'accept-encoding': 'identity', ...request.headers };
    return openExchange(agent, firstHop(url, request.method ?? 'GET', headers, request.body), {
      headersMs: request.timeoutMs ?? timeouts.headersMs,
      bodyIdleMs: request.bodyIdleMs ?? timeouts.bodyIdleMs,
      maxResponseBytes: request.maxResponseBytes ?? maxBytes,
      signal: request.signal,
    });
  }

  return {
    fetch,
    open,
    connect: (host, port) => guardedSocket(host, port, connector),
    close: () => agent.close(),
  };
}

/** Whatever stopped the second hop, a server has seen the first one. */
function afterRedirect(error: unknown): unknown {
  if (!(error instanceof EgressError) || error.sent) return error;
  return new EgressError(error.code, error.message, true, { cause: error });
}
