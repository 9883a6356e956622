import type { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection, surplusLane } from './connection.js';
import { hasSurplus } from './queue-lanes.js';

/** By then a consumer has noticed that a delayed job is due. */
const promotedMs = 1_000;

/** Jobs that wait in a queue, surplus counted separately. */
export interface Waiting {
  own: number;
  surplus: number;
}

/** Jobs per state, and how long in ms the next one has waited, which is nearly always the oldest. */
export interface Depth {
  waiting: number;
  active: number;
  delayed: number;
  oldestMs: number;
}

/** BullMQ's key of a list of a lane. */
function keyOf(queue: string, shard: number, lane: string, list: string): string {
  return `${queuePrefix(queue, shard)}:${lane}:${list}`;
}

/** @throws when Redis does not answer */
export async function waitingIn(redis: RedisConnection, queue: string, shards: number): Promise<Waiting> {
  const count = async (lane: string): Promise<number> => {
    const each = Array.from({ length: shards }, (_, shard) => redis.llen(keyOf(queue, shard, lane, 'wait')));
    return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
  };
  const [own, surplus] = await Promise.all([count(queue), count(surplusLane(queue))]);
  return { own, surplus };
}

/** Jobs of a lane that a consumer could take now. @throws when Redis does not answer */
export async function dueIn(redis: RedisConnection, queue: string, shard: number, lane: string): Promise<number> {
  // BullMQ's scores of delayed jobs: ms since the epoch, shifted by 12 bits.
  const [waiting, delayed] = await Promise.all([
    redis.llen(keyOf(queue, shard, lane, 'wait')),
    redis.zcount(keyOf(queue, shard, lane, 'delayed'), 0, (Date.now() - promotedMs) * 4_096),
  ]);
  return waiting + delayed;
}

/** Jobs of a shard that have not ended, whatever their state. @throws when Redis does not answer */
export async function heldIn(redis: RedisConnection, queue: string, shard: number): Promise<number> {
  const lanes = hasSurplus(queue) ? [queue, surplusLane(queue)] : [queue];
  const counts = await Promise.all(
    lanes.flatMap((lane) => [
      redis.llen(keyOf(queue, shard, lane, 'wait')),
      redis.llen(keyOf(queue, shard, lane, 'active')),
      redis.zcard(keyOf(queue, shard, lane, 'delayed')),
    ]),
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

/** @throws when Redis does not answer */
export async function depthOf(lanes: Queue[]): Promise<Depth> {
  const each = await Promise.all(lanes.map(depthOfLane));
  const sum = (of: (depth: Depth) => number): number => each.reduce((all, depth) => all + of(depth), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    active: sum(({ active }) => active),
    delayed: sum(({ delayed }) => delayed),
    oldestMs: Math.max(...each.map(({ oldestMs }) => oldestMs)),
  };
}

async function depthOfLane(lane: Queue): Promise<Depth> {
  const counts = await lane.getJobCounts('wait', 'active', 'delayed');
  const [oldest] = await lane.getJobs(['wait'], 0, 0, true);
  return {
    waiting: counts['wait'] ?? 0,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    // The delay of a retry was requested: it does not mean that the queue is behind.
    oldestMs: oldest ? Math.max(0, Date.now() - oldest.timestamp - (oldest.opts.delay ?? 0)) : 0,
  };
}
