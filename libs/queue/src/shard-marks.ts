import { queuePrefix, type RedisConnection } from './connection.js';
import type { RedisHealth } from './health/redis-health.js';
import { isSharded } from './shards.js';

/** How long a mark outlives the last job that was added under its number. */
const keptMs = 7 * 24 * 3_600_000;
/** A mark may be lost in a failover while the jobs of another node are not. */
const repeatedMs = 60_000;

const most = 'most';
const markOf = (queue: string): string => `${queuePrefix(queue)}:shards`;

/**
 * How many shards a queue has had lately, marked in Redis beside its shard 0. Processes with another number of shards,
 * older or newer ones, learn from the mark where jobs may wait that they would not look for. A job enters a shard only
 * after its mark.
 */
export class ShardMarks {
  private readonly markedMs = new Map<string, number>();
  private readonly seen = new Map<string, number>();
  /** Queues that were asked about: those that this process only adds to or measures included. */
  private readonly asked = new Set<string>();

  /** @param shards of this process, for each queue that is split */
  constructor(
    private readonly redis: RedisConnection,
    private readonly health: Pick<RedisHealth, 'note'>,
    private readonly shards: number,
  ) {
    redis.on('ready', () => this.markedMs.clear());
  }

  /** Shards in which jobs of a queue may be, as far as is known. */
  of(queue: string): number {
    if (!isSharded(queue)) return 1;
    this.asked.add(queue);
    return Math.max(this.shards, this.seen.get(queue) ?? 1);
  }

  /**
   * Marks that jobs enter as many shards of a queue as this process has. It is waited for once: later, other shards do
   * not wait for the node of shard 0. @throws when Redis does not take the first mark
   */
  async mark(queue: string): Promise<void> {
    const markedMs = this.markedMs.get(queue);
    if (markedMs === undefined) return this.put(queue);
    if (performance.now() - markedMs < repeatedMs) return;
    this.markedMs.set(queue, performance.now());
    this.put(queue).catch((error: unknown) => this.health.note(error));
  }

  private async put(queue: string): Promise<void> {
    const key = markOf(queue);
    const marked = Number((await this.redis.zscore(key, most)) ?? 1);
    if (marked < this.shards) await this.redis.zadd(key, 'GT', this.shards, most);
    // A larger number expires a while after the last process that had it.
    if (marked <= this.shards) await this.redis.pexpire(key, keptMs);
    this.seen.set(queue, marked);
    this.markedMs.set(queue, performance.now());
  }

  /**
   * Asks whether Redis takes writes to a queue, and reads its mark by the same command: a write that changes nothing is
   * refused for the same reasons as any other. @throws when Redis refuses it
   */
  async check(queue: string): Promise<void> {
    if (isSharded(queue))
      this.seen.set(queue, Number((await this.redis.zadd(markOf(queue), 'XX', 'INCR', 0, most)) ?? 1));
    else await this.write(queue, 0);
    for (let shard = 1; shard < this.shards && isSharded(queue); shard += 1) await this.write(queue, shard);
  }

  /**
   * Reads the marks of the queues that were asked about and that no check reads: a command each, sent together. A mark
   * whose node does not answer stays as it was seen; whoever asks about that queue gets the reason.
   */
  async look(checked: string[]): Promise<void> {
    const queues = [...this.asked].filter((queue) => !checked.includes(queue));
    await Promise.allSettled(
      queues.map(async (queue) => {
        this.seen.set(queue, Number((await this.redis.zscore(markOf(queue), most)) ?? 1));
      }),
    );
  }

  /** Only where the key exists, which it never does: nothing is written. */
  private async write(queue: string, shard: number): Promise<void> {
    await this.redis.set(`${queuePrefix(queue, shard)}:check`, '1', 'PX', 1_000, 'XX');
  }
}
