import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { bareHostname, type AllowList } from './allow-list.js';
import { EgressError } from './egress-error.js';

/** Resolves every address of a name, once per connection. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

export interface ConnectorSettings {
  allow: AllowList;
  resolve: Resolver;
  connectTimeoutMs: number;
  /** PEM of the only authority to trust; the system's authorities when absent. */
  ca?: string | undefined;
}

export const systemResolver: Resolver = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map((answer) => answer.address);

/**
 * Opens sockets for one origin, and only to addresses that the list permits: this module opens no sockets anywhere
 * else. The socket uses the very addresses that were classified, so a second DNS answer cannot differ.
 */
export function guardedConnector(origin: URL, settings: ConnectorSettings): buildConnector.connector {
  const { allow, resolve } = settings;
  const hostname = bareHostname(origin);
  const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80));
  const named = allow.names(hostname, port);

  const lookup: LookupFunction = (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const refused = refusal(addresses);
        if (refused) return callback(refused, '');
        const answers = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) return callback(null, answers);
        callback(null, answers[0]?.address ?? '', answers[0]?.family);
      },
      (cause: unknown) => callback(new EgressError('dns_failed', `${hostname} did not resolve`, false, { cause }), ''),
    );
  };

  function refusal(addresses: readonly string[]): EgressError | undefined {
    if (addresses.length === 0) return new EgressError('dns_failed', `${hostname} has no address`);
    // One bad address refuses the name: mixing public and private answers is how rebinding starts.
    if (addresses.every((address) => allow.permits(address, named))) return undefined;
    return new EgressError(
      'blocked_address',
      `${hostname}:${port} is not a public address; an operator can permit it in GATEHOUSE_EGRESS_ALLOW`,
    );
  }

  const connect = buildConnector({
    timeout: settings.connectTimeoutMs,
    allowH2: false,
    lookup,
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
  });
  // Node never calls lookup for an address literal, so literals are classified here.
  const refusedLiteral = isIP(hostname) === 0 ? undefined : refusal([hostname]);
  if (!refusedLiteral) return connect;
  return (_options, callback) => queueMicrotask(() => callback(refusedLiteral, null));
}
