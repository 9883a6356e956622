import { redisAddress } from './redis-address.js';
import type { JobBatch } from './job-batch.js';

/** Begins a batch of a job at once. @returns false when there is no free place: the batch then goes to the queue */
type Taker = (job: string, batch: JobBatch) => boolean;

/** The consumers of this process by Redis and queue, and of each the one that has waited longest first. */
const takers = new Map<string, Set<Taker>>();

/** Which Redis it is, whoever logs in. */
export function serverOf(redisUrl: string): string {
  const { kind, nodes, db, master } = redisAddress(redisUrl);
  return JSON.stringify([kind, nodes.map(({ host, port }) => `${host}:${port}`).sort(), db, master]);
}

/**
 * Lets producers of this process hand batches of a queue to a consumer.
 * @param server as `serverOf`: a queue of the same name in another Redis has other consumers
 * @param queue as `shardName`: each shard has its own consumer
 * @returns what ends that
 */
export function takeHere(server: string, queue: string, take: Taker): () => void {
  const key = `${server} ${queue}`;
  const here = takers.get(key) ?? new Set();
  takers.set(key, here.add(take));
  return () => {
    here.delete(take);
    if (here.size === 0) takers.delete(key);
  };
}

/** @returns whether a consumer of this process has begun the batch */
export function handOver(server: string, queue: string, job: string, batch: JobBatch): boolean {
  const here = takers.get(`${server} ${queue}`);
  if (!here) return false;
  // As through Redis: the consumer's copy is its own, and of JSON.
  const copy = JSON.parse(JSON.stringify(batch)) as JobBatch;
  for (const take of here) {
    if (!take(job, copy)) continue;
    here.delete(take);
    here.add(take);
    return true;
  }
  return false;
}
