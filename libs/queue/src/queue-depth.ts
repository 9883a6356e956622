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

/**
 * What answers of several shards: a node of a Cluster that is away stops its own shards only, so what the others say is
 * enough to go on with. @throws the first refusal when none answers
 */
async function answersOf<T>(asked: Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(asked);
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusal = settled.find((one) => one.status === 'rejected');
  if (answers.length === 0 && refusal) throw refusal.reason;
  return answers;
}

/** In the shards that answer. @throws when none does */
export async function waitingIn(redis: RedisConnection, queue: string, shards: number): Promise<Waiting> {
  const count = (shard: number, lane: string): Promise<number> => redis.llen(keyOf(queue, shard, lane, 'wait'));
  const each = await answersOf(
    Array.from({ length: shards }, (_, shard) =>
      Promise.all([count(shard, queue), count(shard, surplusLane(queue))] as const),
    ),
  );
  return each.reduce((sum, [own, surplus]) => ({ own: sum.own + own, surplus: sum.surplus + surplus }), {
    own: 0,
    surplus: 0,
  });
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

/** Of the lanes that answer. @throws when none does */
export async function depthOf(lanes: Queue[]): Promise<Depth> {
  const each = await answersOf(lanes.map(depthOfLane));
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
