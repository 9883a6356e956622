import { Redis } from 'ioredis';
import { testRedisUrl } from './env.js';

const owner = 'gatehouse-test';
const most = 15;

/** A database of the test Redis that was empty, until it is returned. */
export interface RedisDatabase {
  url: string;
  release(): Promise<void>;
}

/** @throws Error when every database but the first contains keys: the first belongs to the other tests */
export async function takeRedisDatabase(): Promise<RedisDatabase> {
  // From the last one down: the first ones belong to the test processes.
  for (let number = most; number >= 1; number -= 1) {
    const url = new URL(testRedisUrl());
    url.pathname = `/${number}`;
    const redis = new Redis(url.href);
    try {
      const script = "if redis.call('DBSIZE') > 0 then return 0 end redis.call('SET', KEYS[1], '1') return 1";
      if ((await redis.eval(script, 1, owner)) !== 1) continue;
    } finally {
      redis.disconnect();
    }
    return { url: url.href, release: () => flush(url.href) };
  }
  throw new Error(`No database from 1 to ${most} of the test Redis is empty.`);
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
