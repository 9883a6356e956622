import { createHash } from 'node:crypto';

/**
 * The queues whose keys a service uses: it takes their jobs, adds to them, or looks how far behind they are. `order` is
 * none, but the order of receipts on their way. Nothing else of Redis is a service's.
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

/** May do everything: for who starts and watches the server, and for no service. */
export const ADMIN = 'gatehouse_admin';

/** @param {string} service */
export const redisUser = (service) => `gatehouse_${service.replaceAll('-', '_')}`;

/**
 * What BullMQ's scripts and its client call, found by running the system under these rules: the data commands of its
 * scripts, the scripts themselves, and what ioredis asks when it connects. None that names all keys, empties or configures
 * the server, or watches others.
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
  // Where the slots of a Cluster are.
  '+cluster|slots',
  '+cluster|info',
];

/** @param {string} queue as libs/queue names its keys */
const keysOf = (queue) => `~{gatehouse:q:${queue}}:*`;

/** The variable of a user's password in docker-compose.yml. @param {string} user a service, or `admin` */
export const passwordVariable = (user) => `REDIS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;

/** @param {(user: string) => string} passwordOf */
export const composePasswords = (passwordOf) =>
  Object.fromEntries(['admin', ...Object.keys(queuesOf)].map((user) => [passwordVariable(user), passwordOf(user)]));

/** What stands behind a user's password. @param {string} service */
export const rulesOf = (service) =>
  ['resetkeys', 'resetchannels', ...(queuesOf[service] ?? []).map(keysOf), '-@all', ...COMMANDS].join(' ');

/**
 * The lines of an ACL file. Without a password nobody gets in: the default user is off.
 * @param {(user: string) => string} passwordOf by service, and `admin`
 * @param {'hash' | 'plain'} [form] a hash where the file is ours to keep
 */
export function aclFile(passwordOf, form = 'hash') {
  const secret = (/** @type {string} */ password) =>
    form === 'plain' ? `>${password}` : `#${createHash('sha256').update(password).digest('hex')}`;
  return [
    'user default off resetpass -@all',
    `user ${ADMIN} on ${secret(passwordOf('admin'))} ~* &* +@all`,
    ...Object.keys(queuesOf).map((name) => `user ${redisUser(name)} on ${secret(passwordOf(name))} ${rulesOf(name)}`),
    '',
  ].join('\n');
}
