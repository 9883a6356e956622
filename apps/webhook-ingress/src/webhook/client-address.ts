import { announcedBytesHeader, portalHopHeader } from '#libs/contracts';
import type { ServiceTokens } from '#libs/service-kit';
import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';

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
