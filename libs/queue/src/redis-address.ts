import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

export interface RedisAddress {
  /** One server, a Cluster, or Sentinels, which say which server is the current master. */
  kind: 'server' | 'cluster' | 'sentinel';
  nodes: { host: string; port: number }[];
  username?: string;
  password?: string;
  db: number;
  tls?: ConnectionOptions;
  /** The name of the master among the Sentinels. */
  master: string;
  sentinelPassword?: string;
}

const form = /^(rediss?)(?:\+(cluster|sentinel))?:$/;

/**
 * Reads a REDIS_URL: `redis://user:password@host:6379`, `rediss://` with TLS, and with more than one server
 * - `redis+cluster://user:password@host:6379?nodes=host2:6379,host3:6379`
 * - `redis+sentinel://user:password@sentinel:26379/master-name?nodes=sentinel2:26379&sentinel_password=…`
 *
 * `rediss+cluster` and `rediss+sentinel` use TLS everywhere. `ca=/path` names the authority that signs the servers'
 * certificates; without it, the system's authorities are used.
 * @throws Error that says what is wrong, without the address, which contains a password
 */
export function redisAddress(text: string): RedisAddress {
  const url = URL.parse(text);
  const [, scheme, kind = 'server'] = form.exec(url?.protocol ?? '') ?? [];
  if (!url || !scheme) throw new Error('REDIS_URL is not redis://, rediss://, redis+cluster:// or redis+sentinel://');
  const defaultPort = kind === 'sentinel' ? 26_379 : 6_379;
  const more = (url.searchParams.get('nodes') ?? '').split(',').filter((node) => node !== '');
  const path = decodeURIComponent(url.pathname.slice(1));
  const db = kind === 'server' && path !== '' ? Number(path) : 0;
  if (!Number.isInteger(db)) throw new Error('REDIS_URL names a database that is not a number');
  if (kind === 'sentinel' && path === '') throw new Error('REDIS_URL names no master: redis+sentinel://…/<its name>');
  const ca = url.searchParams.get('ca');
  const sentinelPassword = url.searchParams.get('sentinel_password');
  return {
    kind: kind as RedisAddress['kind'],
    nodes: [url.host, ...more].map((node) => nodeOf(node, defaultPort)),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    db,
    ...(scheme === 'rediss' && { tls: ca ? { ca: readFileSync(ca) } : {} }),
    master: path,
    ...(sentinelPassword && { sentinelPassword }),
  };
}

function nodeOf(node: string, defaultPort: number): { host: string; port: number } {
  const url = URL.parse(`redis://${node}`);
  if (!url?.hostname) throw new Error('REDIS_URL names a node that is not host:port');
  // IPv6 addresses are in brackets, which a socket does not accept.
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) || defaultPort };
}
