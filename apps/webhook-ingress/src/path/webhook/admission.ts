import { announcedBytesHeader, type Endpoint, portalHopHeader } from '#libs/contracts';
import { bySetting, limitReached, type ServiceTokens } from '#libs/service-kit';
import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';
import { asRefused } from '../request/incoming.js';

/**
 * Finds the address of a client: that of the connection, unless a trusted party forwarded the request. Trusted are the
 * portal, which proves itself with a token and names one address, and the proxies that the operator named.
 * `x-forwarded-for` from anyone else is ignored.
 */
export class ClientAddress {
  private readonly direct: (request: IncomingMessage) => string;

  constructor(
    private readonly tokens: Pick<ServiceTokens, 'verify'>,
    trustedProxies: string[],
  ) {
    const trusts = proxyAddr.compile(trustedProxies);
    this.direct = trustedProxies.length
      ? (request) => proxyAddr(request, trusts)
      : (request) => request.socket.remoteAddress ?? '';
  }

  /**
   * Removes the portal's token from the headers, which are stored, and what only the portal may announce. Returns a
   * promise only when there is a token.
   */
  of(request: IncomingMessage): string | Promise<string> {
    const token = request.headers[portalHopHeader];
    if (token === undefined) {
      delete request.headers[announcedBytesHeader];
      return this.direct(request);
    }
    delete request.headers[portalHopHeader];
    return this.handedOn(request, String(token));
  }

  private async handedOn(request: IncomingMessage, token: string): Promise<string> {
    const isPortal = await this.tokens.verify(token).then(
      ({ subject }) => subject === 'service:portal',
      () => false,
    );
    if (!isPortal) delete request.headers[announcedBytesHeader];
    const named = request.headers['x-forwarded-for'];
    return isPortal && named !== undefined ? String(named) : this.direct(request);
  }
}

/** What is limited, for those who reach it. */
interface RateLimit {
  /** Of the answer. */
  code: string;
  name: string;
  of: 'address' | 'endpoint';
  what: string;
  most: number;
  windowMs: number;
}

/**
 * A ceiling against abuse: requests per window and key, counted in this replica. In memory on purpose: a limiter in a
 * store would delay every answer, and would have to let requests through while the store is down.
 */
export class RateLimiter {
  private counts = new Map<string, number>();
  private windowEndsMs = 0;

  constructor(private readonly limit: RateLimit) {}

  /** Counts a request. @throws Refused 429, which names the limit */
  take(key: string, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) {
      this.counts = new Map();
      this.windowEndsMs = nowMs + this.limit.windowMs;
    }
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    const { code, name, of, what, most, windowMs } = this.limit;
    if (count <= most) return;
    const raise = bySetting(name, 'webhook-ingress');
    const limit = { name, of, value: most, window_seconds: windowMs / 1_000, raise };
    throw asRefused(limitReached(code, what, limit, (this.windowEndsMs - nowMs) / 1_000));
  }
}

/** Whether the gateway marked a request as its own, for this App's project. A false mark has no effect. */
export async function isProbe(
  tokens: Pick<ServiceTokens, 'verify'>,
  mark: string,
  { organization_id: organizationId, project_id: projectId }: Endpoint,
): Promise<boolean> {
  try {
    const by = await tokens.verify(mark);
    return (
      by.subject === 'service:adapter-gateway' && by.organizationId === organizationId && by.projectId === projectId
    );
  } catch {
    return false;
  }
}
