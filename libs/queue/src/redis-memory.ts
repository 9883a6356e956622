import { Cluster } from 'ioredis';
import type { RedisConnection } from './connection.js';

/**
 * Bytes that the master has used of its `maxmemory`; of a Cluster the fullest one. Null: no master has a limit.
 * @throws when Redis does not answer
 */
export async function redisMemory(redis: RedisConnection): Promise<{ used: number; most: number } | null> {
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const infos = await Promise.all(masters.map((master) => master.info('memory')));
  const limited = infos
    .map((info) => {
      const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
      return { used: field('used_memory'), most: field('maxmemory') };
    })
    .filter(({ most }) => most > 0);
  return limited.toSorted((one, other) => other.used / other.most - one.used / one.most)[0] ?? null;
}
