import { Queue } from 'bullmq';
import type { JobContract } from '#libs/contracts';
import { testRedisUrl } from './env.js';

type States = Parameters<Queue['getJobs']>[0];

/** What waits in queues of the run's Redis that no consumer of the test takes. */
export class QueuedJobs {
  private readonly queues: Queue[];

  /** @param names of queues, which `lose` empties */
  constructor(names: string[]) {
    const connection = { url: testRedisUrl() };
    this.queues = names.map((name) => new Queue(name, { connection, prefix: `{gatehouse:q:${name}}` }));
  }

  /** Payloads of the jobs of one kind, from all batches. */
  async payloads<P extends object>({ queue }: JobContract<P>, states: States = ['wait']): Promise<P[]> {
    const found = (await this.queues.find(({ name }) => name === queue)?.getJobs(states)) ?? [];
    return found.flatMap((job) => (job.data as { items: { payload: P }[] }).items.map(({ payload }) => payload));
  }

  /** Loses every job, as Redis does when it is wiped. */
  async lose(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.obliterate({ force: true })));
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close()));
  }
}
