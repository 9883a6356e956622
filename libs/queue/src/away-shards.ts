import { returnQuietMs } from './health/redis-health.js';
import { redisTrouble } from './health/redis-trouble.js';
import { shardName } from './shards.js';

/** After a try in vain, until the next one. */
const restMs = 250;
/** What was refused in less waits for its lease: sweeps of everything would cost more. */
const shortMs = 1_500;

/** What an error says that says only that there is no connection. */
const noConnection = /connection is closed|isn't (?:ready|writeable)|too many cluster redirections/i;

interface Away {
  queue: string;
  shard: number;
  /** In ms: its first refusal; one that goes away again soon after it came back has not been back. */
  sinceMs: number;
  /** In ms; infinite while one tries. */
  restsUntilMs: number;
  /** In ms; null while it is away. */
  backAtMs: number | null;
}

/**
 * Shards to which Redis took no job, because their node is stopped or away. One add at a time tries whether that is
 * over, and all others are refused at once: each would wait for two seconds otherwise, in a place that jobs of other
 * shards need. No connection says that a node of a Cluster is back, and what was refused waits for that. A node that
 * comes and goes is back once it has been there for a while: each return has everything swept.
 */
export class AwayShards {
  private readonly shards = new Map<string, Away>();
  private looking: Promise<void> | null = null;

  /**
   * @param ask resolves when the node of a shard answers
   * @param onReturn jobs that were refused are missing; only what is looked at returns
   */
  constructor(
    private readonly ask: (queue: string, shard: number) => Promise<unknown>,
    private readonly onReturn: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  has(queue: string, shard: number): boolean {
    return this.shards.get(shardName(queue, shard))?.backAtMs === null;
  }

  /** Sends, unless nothing would come of it. @throws what `send` throws, or that the shard is away */
  async reach(queue: string, shard: number, send: () => Promise<void>): Promise<void> {
    const key = shardName(queue, shard);
    const away = this.has(queue, shard) ? this.shards.get(key) : undefined;
    if (away && this.now() < away.restsUntilMs) throw new Error(`the node of ${key} has just not answered`);
    if (away) away.restsUntilMs = Number.POSITIVE_INFINITY;
    try {
      await send();
    } catch (error) {
      if (isAway(error)) this.leaves(queue, shard);
      else this.isBack(key);
      throw error;
    }
    this.isBack(key);
  }

  /** Asks the nodes of all shards that are away, and announces those that are back to stay; one look at a time. */
  look(): Promise<void> {
    return (this.looking ??= this.askAll().finally(() => {
      this.looking = null;
      this.announce();
    }));
  }

  /** The connection has been made anew: wakes whoever waits for that. */
  forget(): void {
    this.shards.clear();
  }

  private leaves(queue: string, shard: number): void {
    const key = shardName(queue, shard);
    const now = this.now();
    const sinceMs = this.shards.get(key)?.sinceMs ?? now;
    this.shards.set(key, { queue, shard, sinceMs, restsUntilMs: now + restMs, backAtMs: null });
  }

  private isBack(key: string): void {
    const away = this.shards.get(key);
    if (away) away.backAtMs ??= this.now();
  }

  private async askAll(): Promise<void> {
    const away = [...this.shards].filter(([, { backAtMs }]) => backAtMs === null);
    await Promise.allSettled(
      away.map(async ([key, { queue, shard }]) => {
        await this.ask(queue, shard);
        this.isBack(key);
      }),
    );
  }

  private announce(): void {
    let isMissed = false;
    for (const [key, { sinceMs, backAtMs }] of this.shards) {
      if (backAtMs === null || this.now() - backAtMs < returnQuietMs) continue;
      this.shards.delete(key);
      isMissed ||= backAtMs - sinceMs >= shortMs;
    }
    if (isMissed) this.onReturn();
  }
}

function isAway(error: unknown): boolean {
  const code = redisTrouble(error)?.code;
  if (code === undefined) return error instanceof Error && noConnection.test(error.message);
  return code === 'unreachable' || code === 'cluster_down';
}
