import { Redis } from 'ioredis';

/** The content of a Redis key, as far as queues use it. */
type Held =
  { string: string } | { hash: Record<string, string> } | { list: string[] } | { zset: string[] } | { set: string[] };

/**
 * The keys of all queues as BullMQ stores them: its next version has to read them too. Locks and the event log are left
 * out.
 */
export async function readKeys(url: string): Promise<string> {
  return as(url, async (redis) => {
    const held: Record<string, Held> = {};
    for (const key of (await redis.keys('{gatehouse:*')).sort()) {
      const lives = await redis.pttl(key);
      const value = lives === -1 ? await read(redis, key) : null;
      if (value) held[key] = value;
    }
    return `${JSON.stringify(held, null, 2)}\n`;
  });
}

async function read(redis: Redis, key: string): Promise<Held | null> {
  const type = await redis.type(key);
  if (type === 'string') return { string: (await redis.get(key)) ?? '' };
  if (type === 'hash') return { hash: await redis.hgetall(key) };
  if (type === 'list') return { list: await redis.lrange(key, 0, -1) };
  if (type === 'zset') return { zset: await redis.zrange(key, '0', '-1', 'WITHSCORES') };
  if (type === 'set') return { set: await redis.smembers(key) };
  return null;
}

export async function writeKeys(url: string, text: string): Promise<void> {
  await as(url, async (redis) => {
    for (const [key, held] of Object.entries(JSON.parse(text) as Record<string, Held>)) {
      if ('string' in held) await redis.set(key, held.string);
      if ('hash' in held) await redis.hset(key, held.hash);
      if ('list' in held) await redis.rpush(key, ...held.list);
      if ('set' in held) await redis.sadd(key, ...held.set);
      if ('zset' in held) await redis.zadd(key, ...withScoresFirst(held.zset));
    }
  });
}

const withScoresFirst = (members: string[]): string[] =>
  members.flatMap((member, index) => (index % 2 === 0 ? [members[index + 1] ?? '0', member] : []));

async function as<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
