import type { AwayShards } from '../away-shards.js';
import type { RedisConnection } from '../connection.js';
import type { ShardMarks } from '../shard-marks.js';
import type { RedisHealth } from './redis-health.js';
import { unreachable } from './redis-trouble.js';

const everyMs = 5_000;
/** While it does not work: what Redis refused meanwhile waits until it is known to work again. */
const soonMs = 1_000;

/**
 * Asks Redis whether it works, also while nothing is to be done: whether it answers, has loaded its data, and takes
 * writes to the queues that the service consumes. Learns meanwhile how many shards others gave to each queue.
 */
export class RedisProbe {
  private timer: NodeJS.Timeout | undefined;
  private askedMs: number;
  private running: Promise<void> | null = null;

  constructor(
    private readonly redis: RedisConnection,
    private readonly health: RedisHealth,
    private readonly marks: ShardMarks,
    private readonly away: Pick<AwayShards, 'look'>,
    private readonly queues: string[],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.askedMs = now();
  }

  start(): void {
    this.timer ??= setInterval(() => void this.look(), soonMs).unref();
  }

  /** Every second: whatever is due. */
  async look(): Promise<void> {
    const isDue = this.health.state() !== null || this.now() - this.askedMs >= everyMs;
    await Promise.all([this.away.look(), isDue && this.ask()]);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** One probe at a time. */
  ask(): Promise<void> {
    this.askedMs = this.now();
    return (this.running ??= this.probe().finally(() => {
      this.running = null;
    }));
  }

  private async probe(): Promise<void> {
    try {
      const info = await this.redis.info('persistence');
      // While it loads, the client connects, but does not become ready, and reports nothing.
      if (/^loading:1/m.test(info)) throw new Error('LOADING Redis is loading the dataset in memory');
      // Together: a node that is away keeps no mark of another one from being read.
      await Promise.all([this.marks.look(this.queues), ...this.queues.map((queue) => this.marks.check(queue))]);
      this.health.noteAnswer();
    } catch (error) {
      if (this.health.note(error)) return;
      this.health.noteTrouble(unreachable(`the connection is ${this.redis.status}`));
    }
  }
}
