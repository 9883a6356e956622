import { redisTrouble } from './health/redis-trouble.js';
import { shardName } from './shards.js';

/** After a try in vain, until the next one. */
const restMs = 250;

/** What an error says that says only that there is no connection. */
const noConnection = /connection is closed|isn't (?:ready|writeable)|too many cluster redirections/i;

interface Away {
  queue: string;
  shard: number;
  /** In ms; infinite while one tries. */
  restsUntilMs: number;
}

/**
 * Shards to which Redis took no job, because their node is stopped or away. One add at a time tries whether that is
 * over, and all others are refused at once: each would wait for two seconds otherwise, in a place that jobs of other
 * shards need. No connection says that a node of a Cluster is back, and what was refused waits for that.
 */
export class AwayShards {
  private readonly shards = new Map<string, Away>();
  private looking: Promise<void> | null = null;

  /**
   * @param ask resolves when the node of a shard answers
   * @param onReturn jobs that were refused are missing
   */
  constructor(
    private readonly ask: (queue: string, shard: number) => Promise<unknown>,
    private readonly onReturn: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  has(queue: string, shard: number): boolean {
    return this.shards.has(shardName(queue, shard));
  }

  /** Sends, unless nothing would come of it. @throws what `send` throws, or that the shard is away */
  async reach(queue: string, shard: number, send: () => Promise<void>): Promise<void> {
    const key = shardName(queue, shard);
    const away = this.shards.get(key);
    if (away && this.now() < away.restsUntilMs) throw new Error(`the node of ${key} has just not answered`);
    if (away) away.restsUntilMs = Number.POSITIVE_INFINITY;
    try {
      await send();
    } catch (error) {
      if (isAway(error)) this.shards.set(key, { queue, shard, restsUntilMs: this.now() + restMs });
      else this.shards.delete(key);
      throw error;
    }
    if (this.shards.delete(key)) this.onReturn();
  }

  /** Asks the nodes of all shards that are away; one look at a time. */
  look(): Promise<void> {
    return (this.looking ??= this.askAll().finally(() => {
      this.looking = null;
    }));
  }

  /** The connection has been made anew: whoever waits for that is told. */
  forget(): void {
    this.shards.clear();
  }

  private async askAll(): Promise<void> {
    const back = await Promise.all(
      [...this.shards].map(async ([key, { queue, shard }]) => {
        try {
          await this.ask(queue, shard);
          return this.shards.delete(key);
        } catch {
          return false;
        }
      }),
    );
    if (back.includes(true)) this.onReturn();
  }
}

function isAway(error: unknown): boolean {
  const code = redisTrouble(error)?.code;
  if (code === undefined) return error instanceof Error && noConnection.test(error.message);
  return code === 'unreachable' || code === 'cluster_down';
}
