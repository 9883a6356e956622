import type { ConsumedQueue } from './consumed-queue.js';

const lookMs = 2_000;
/** Looks in a row at which a shard held nothing, until its consumers are closed. */
const emptyLooks = 5;

/** Of the client that knows the queues' marks. */
interface Known {
  /** Shards of a queue in which jobs may wait. */
  shardsOf(queue: string): number;
  /** Jobs of a shard that have not ended. */
  held(queue: string, shard: number): Promise<number>;
}

/**
 * Consumes shards beyond a process's own number while they hold jobs: those that a larger number left behind, and those
 * that processes with a larger number fill meanwhile.
 */
export class LeftShards {
  private readonly empty = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;

  /** @param shards of this process, which are always consumed */
  constructor(
    private readonly queues: ConsumedQueue[],
    private readonly shards: number,
    private readonly known: Known,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => {
      this.looking ??= this.look().finally(() => (this.looking = null));
    }, lookMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const beyond = (queue: ConsumedQueue): Set<number> => {
      const marked = Array.from({ length: this.known.shardsOf(queue.name) }, (_, shard) => shard);
      return new Set([...marked, ...queue.opened()].filter((shard) => shard >= this.shards));
    };
    await Promise.all(this.queues.flatMap((queue) => [...beyond(queue)].map((shard) => this.lookAt(queue, shard))));
  }

  private async lookAt(queue: ConsumedQueue, shard: number): Promise<void> {
    const key = `${queue.name} ${shard}`;
    // What does not answer is left as it is.
    const held = await this.known.held(queue.name, shard).catch(() => null);
    if (held === null) return;
    const looks = held > 0 ? 0 : (this.empty.get(key) ?? 0) + 1;
    this.empty.set(key, looks);
    if (held > 0 && !queue.isOpen(shard)) queue.open(shard);
    if (looks < emptyLooks) return;
    this.empty.delete(key);
    if (queue.isOpen(shard)) queue.closeShard(shard);
  }
}
