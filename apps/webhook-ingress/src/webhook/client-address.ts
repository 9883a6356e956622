import { portalHopHeader } from '#libs/contracts';
import type { ServiceTokens } from '#libs/service-kit';
import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';

/**
 * Whose request it is: the address of the connection, unless somebody who is believed handed it on. That is the portal,
 * which proves itself by a token and names one address, or a proxy that the operator named. What others put into
 * `x-forwarded-for` is not read.
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

  /** Takes the portal's token out of the headers, which are kept. A promise only where there is one. */
  of(request: IncomingMessage): string | Promise<string> {
    const token = request.headers[portalHopHeader];
    if (token === undefined) return this.direct(request);
    delete request.headers[portalHopHeader];
    return this.handedOn(request, String(token));
  }

  private async handedOn(request: IncomingMessage, token: string): Promise<string> {
    const isPortal = await this.tokens.verify(token).then(
      ({ subject }) => subject === 'service:portal',
      () => false,
    );
    const named = request.headers['x-forwarded-for'];
    return isPortal && named !== undefined ? String(named) : this.direct(request);
  }
}
