import { type Audience, ServiceClient, type ServiceTokens } from '#libs/service-kit';
import { upstreams, type UpstreamUrls } from './proxy/route-table.js';

/** Injection token of the clients of all services behind the portal. */
export const SERVICE_CLIENTS = Symbol('serviceClients');

/** Injection token of the adapter gateway's client. */
export const GATEWAY = Symbol('gatewayClient');

/** Injection token of the router's client. */
export const ROUTER = Symbol('routerClient');

/** One service, for views that the portal merges from all of them. */
export interface NamedClient {
  service: Audience;
  client: Pick<ServiceClient, 'get' | 'put'>;
}

const timeoutMs = 4_000;

export function clientsOfServices(urls: UpstreamUrls, tokens: ServiceTokens): NamedClient[] {
  return upstreams.map(({ audience: service, urlSetting }) => ({
    service,
    client: new ServiceClient(service, urls[urlSetting], tokens, timeoutMs),
  }));
}

/** A page of rows may be long, and its table large. */
const moveTimeoutMs = 60_000;

/** Clients of all services, for moving a project. */
export const clientsOfMoves = (urls: UpstreamUrls, tokens: ServiceTokens): Map<Audience, ServiceClient> =>
  new Map(
    upstreams.map(({ audience, urlSetting }) => [
      audience,
      new ServiceClient(audience, urls[urlSetting], tokens, moveTimeoutMs),
    ]),
  );
