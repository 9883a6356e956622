import { type JobContract, jobs } from '#libs/contracts';
import { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection, surplusLane } from './connection.js';
import type { RedisHealth } from './health/redis-health.js';
import { isSurplus, type JobBatch } from './job-batch.js';
import { shardName } from './shards.js';

export const hasSurplus = (queue: string): boolean =>
  jobs.some((job: JobContract) => job.queue === queue && job.hasSurplus === true);

/** What a producer writes: each shard of a queue, and beside it the lane of its surplus. */
export class QueueLanes {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly health: RedisHealth,
  ) {}

  of({ queue }: JobContract, shard: number, { items: [first] }: JobBatch): Queue {
    return this.open(first && isSurplus(first) ? surplusLane(queue) : queue, queue, shard);
  }

  /** Both lanes of each shard. */
  all(queue: string, shards: number): Queue[] {
    const names = hasSurplus(queue) ? [queue, surplusLane(queue)] : [queue];
    return Array.from({ length: shards }, (_, shard) => names.map((name) => this.open(name, queue, shard))).flat();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
  }

  /** @param of the queue whose lane it is */
  private open(name: string, of: string, shard: number): Queue {
    const key = shardName(name, shard);
    let queue = this.queues.get(key);
    if (!queue) {
      queue = new Queue(name, {
        connection: this.redis,
        prefix: queuePrefix(of, shard),
        skipWaitingForReady: true,
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', (error) => this.health.note(error));
      this.queues.set(key, queue);
      const begun = queue;
      // BullMQ prepares a queue once: a queue first used while Redis was down would refuse every job forever.
      begun.waitUntilReady().catch(() => {
        this.queues.delete(key);
        begun.close().catch(() => undefined);
      });
    }
    return queue;
  }
}
