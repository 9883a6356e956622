import { type JobContract, jobs } from '#libs/contracts';
import { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection, surplusLane } from './connection.js';
import type { RedisHealth } from './health/redis-health.js';
import { isSurplus, type JobBatch } from './job-batch.js';

export const hasSurplus = (queue: string): boolean =>
  jobs.some((job: JobContract) => job.queue === queue && job.hasSurplus === true);

/** What a producer writes: each queue, and beside it the lane of its surplus. */
export class QueueLanes {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly health: RedisHealth,
  ) {}

  of({ queue }: JobContract, { items: [first] }: JobBatch): Queue {
    return first && isSurplus(first) ? this.surplus(queue) : this.own(queue);
  }

  own(queue: string): Queue {
    return this.open(queue, queue);
  }

  surplus(queue: string): Queue {
    return this.open(surplusLane(queue), queue);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
  }

  /** @param of the queue whose lane it is */
  private open(name: string, of: string): Queue {
    let queue = this.queues.get(name);
    if (!queue) {
      queue = new Queue(name, {
        connection: this.redis,
        prefix: queuePrefix(of),
        skipWaitingForReady: true,
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', (error) => this.health.note(error));
      this.queues.set(name, queue);
      const begun = queue;
      // BullMQ prepares a queue once: a queue first used while Redis was down would refuse every job forever.
      begun.waitUntilReady().catch(() => {
        this.queues.delete(name);
        begun.close().catch(() => undefined);
      });
    }
    return queue;
  }
}
