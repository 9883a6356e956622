import { createHash } from 'node:crypto';

/**
 * The queues whose keys a service uses: it takes their jobs, adds jobs, or checks their lag. `order` is not a queue but
 * the order of receipts in flight. A service may use nothing else in Redis.
 * @type {Record<string, string[]>}
 */
export const queuesOf = {
  'webhook-ingress': ['inbound', 'app-changes', 'route', 'turns', 'outbound', 'order'],
  'adapter-gateway': ['inbound', 'outbound', 'sync', 'route', 'outbound-sent', 'app-changes', 'order'],
  router: ['route', 'outbound-sent', 'turns', 'order'],
  engine: ['turns', 'outbound', 'order'],
  'credential-vault': ['refresh'],
  'mcp-registry': ['mcp-discovery'],
  portal: [],
};

/** May do everything. It is for whoever starts and watches the server, not for a service. */
export const ADMIN = 'gatehouse_admin';

/** @param {string} service */
export const redisUser = (service) => `gatehouse_${service.replaceAll('-', '_')}`;

/**
 * The commands that BullMQ's scripts and client need, found by running the system under these rules: the data commands
 * of its scripts, the scripts themselves, and what ioredis sends when it connects. None of them lists all keys, flushes
 * or configures the server, or monitors other clients.
 */
const COMMANDS = [
  '+eval',
  '+evalsha',
  '+ping',
  '+info',
  '+hello',
  '+auth',
  '+select',
  '+quit',
  '+client|setname',
  '+exists',
  '+del',
  '+unlink',
  '+type',
  '+time',
  '+get',
  '+set',
  '+incr',
  '+incrby',
  '+pttl',
  '+pexpire',
  '+persist',
  '+hset',
  '+hmset',
  '+hsetnx',
  '+hget',
  '+hmget',
  '+hgetall',
  '+hexists',
  '+hdel',
  '+hincrby',
  '+hlen',
  '+llen',
  '+lrange',
  '+lindex',
  '+lpos',
  '+lpush',
  '+rpush',
  '+lpop',
  '+rpop',
  '+rpoplpush',
  '+lrem',
  '+lset',
  '+ltrim',
  '+zadd',
  '+zrem',
  '+zcard',
  '+zcount',
  '+zscore',
  '+zrange',
  '+zrangebyscore',
  '+zrevrange',
  '+zrevrangebyscore',
  '+zpopmin',
  '+bzpopmin',
  '+zremrangebyscore',
  '+zremrangebyrank',
  '+sadd',
  '+srem',
  '+scard',
  '+smembers',
  '+sismember',
  '+xadd',
  '+xtrim',
  '+xlen',
  '+multi',
  '+exec',
  // Maps the slots of a Cluster to its nodes.
  '+cluster|slots',
  '+cluster|info',
];

/** Queues whose jobs carry their project: they may be split (`QUEUE_SHARDS`). */
const SHARDED = ['inbound', 'route', 'turns', 'outbound', 'outbound-sent'];

/** @param {string} queue as libs/queue names its keys, and those of its shards but the first */
const keysOf = (queue) =>
  [`~{gatehouse:q:${queue}}:*`, ...(SHARDED.includes(queue) ? [`~{gatehouse:q:${queue}:*}:*`] : [])].join(' ');

/** The variable in docker-compose.yml for a user's password. @param {string} user a service, or `admin` */
export const passwordVariable = (user) => `REDIS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** @param {(user: string) => string} passwordOf */
export const composePasswords = (passwordOf) =>
  Object.fromEntries(['admin', ...Object.keys(queuesOf)].map((user) => [passwordVariable(user), passwordOf(user)]));

/** The rules of a user, which follow its password. @param {string} service */
export const rulesOf = (service) =>
  ['resetkeys', 'resetchannels', ...(queuesOf[service] ?? []).map(keysOf), '-@all', ...COMMANDS].join(' ');

/**
 * The default user is off: nobody works without a password. It may do everything all the same, since Redis and Valkey
 * replay their append-only file in its name: with `-@all` they skip each transaction and each script of it, so a restart
 * loses the jobs that BullMQ added (redis/redis#14541, valkey-io/valkey#3983).
 */
export const DEFAULT_USER = 'user default off resetpass ~* &* +@all';

/**
 * The lines of an ACL file.
 * @param {(user: string) => string} passwordOf by service, and `admin`
 * @param {'hash' | 'plain'} [form] a hash where we keep the file ourselves
 */
export function aclFile(passwordOf, form = 'hash') {
  const secret = (/** @type {string} */ password) =>
    form === 'plain' ? `>${password}` : `#${createHash('sha256').update(password).digest('hex')}`;
  return [
    DEFAULT_USER,
    `user ${ADMIN} on ${secret(passwordOf('admin'))} ~* &* +@all`,
    ...Object.keys(queuesOf).map((name) => `user ${redisUser(name)} on ${secret(passwordOf(name))} ${rulesOf(name)}`),
    '',
  ].join('\n');
}
