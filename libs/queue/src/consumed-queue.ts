import { surplusLane } from './connection.js';
import type { Consumer } from './consumer.js';
import type { JobBatch } from './job-batch.js';
import type { Waiting } from './job-context.js';
import { Lane, type LaneContext } from './lane.js';
import { Places } from './places.js';
import { hasSurplus } from './queue-lanes.js';

/** After a job that is not surplus, surplus makes way for this long, in case another one comes. */
const wayIsMadeMs = 1_000;

/** How much a process takes of one queue, all of its shards together. */
export interface Share {
  places: number;
  surplusPlaces: number;
  /** The share of its time that surplus may take while other jobs come. */
  surplusDuty: number;
}

type Run = (job: string, batch: JobBatch, waiting: Waiting) => Promise<void>;

interface Shard {
  own: Lane;
  /** Null for a queue that has none. */
  surplus: Lane | null;
}

/** A queue as one process consumes it: shard by shard, surplus beside each, in places that the shards share. */
export class ConsumedQueue {
  private readonly shards = new Map<number, Shard>();
  /** Shards that take no more, until what they had begun has ended. */
  private readonly closing = new Set<Promise<void>>();
  private readonly own: Places;
  private readonly surplus: Places;
  /** Ends the time in which surplus makes way. */
  private way: NodeJS.Timeout | undefined;

  /** @param last the project whose surplus was taken last, of any queue */
  constructor(
    readonly name: string,
    private readonly share: Share,
    private readonly context: LaneContext,
    private readonly last: { project?: unknown },
    private readonly run: Run,
  ) {
    this.own = new Places(share.places);
    this.surplus = new Places(share.surplusPlaces);
  }

  open(shard: number): void {
    const surplus = hasSurplus(this.name)
      ? this.lane(shard, surplusLane(this.name), this.surplus, ({ items }) => {
          this.last.project = items.at(-1)?.payload['project_id'];
        })
      : null;
    const own = this.lane(shard, this.name, this.own, surplus ? (batch) => this.makeWay(batch) : () => undefined);
    this.shards.set(shard, { own, surplus });
  }

  isOpen(shard: number): boolean {
    return this.shards.has(shard);
  }

  /** The shards that are consumed now. */
  opened(): number[] {
    return [...this.shards.keys()];
  }

  /** @returns whether a batch that a producer handed over has begun */
  take(shard: number, job: string, batch: JobBatch, most: number): boolean {
    return this.shards.get(shard)?.own.consumer.take(job, batch, most) ?? false;
  }

  /** Takes no more jobs of a shard. Its running ones may take long: only `close` waits for them. */
  closeShard(shard: number): void {
    const lanes = lanesOf(this.shards.get(shard));
    this.shards.delete(shard);
    const closed = Promise.allSettled(lanes.map((lane) => lane.close())).then(() => {
      this.closing.delete(closed);
    });
    this.closing.add(closed);
  }

  /** Takes no more jobs, and ends when the running ones have. */
  async close(): Promise<void> {
    clearTimeout(this.way);
    for (const shard of this.opened()) this.closeShard(shard);
    await Promise.all(this.closing);
  }

  consumers(): Consumer<JobBatch>[] {
    return [...this.shards.values()].flatMap(lanesOf).map(({ consumer }) => consumer);
  }

  private lane(shard: number, name: string, places: Places, onTaken: (batch: JobBatch) => void): Lane {
    const take = (job: string, batch: JobBatch): Promise<void> => {
      onTaken(batch);
      return this.run(job, batch, (wait) => places.letWait(batch, wait));
    };
    return new Lane(this.context, { queue: this.name, shard, name, places, take });
  }

  /**
   * Runs surplus one job at a time, with rests, while other jobs come: they have to wait for whatever the process is
   * running, and for a core while other processes run surplus.
   */
  private makeWay({ items }: JobBatch): void {
    // A project need not make way for itself.
    if (items.every(({ payload }) => payload['project_id'] === this.last.project)) return;
    clearTimeout(this.way);
    this.surplus.pace(1, this.share.surplusDuty);
    this.way = setTimeout(() => this.surplus.pace(this.share.surplusPlaces, 1), wayIsMadeMs).unref();
  }
}

function lanesOf(shard: Shard | undefined): Lane[] {
  if (!shard) return [];
  return shard.surplus ? [shard.own, shard.surplus] : [shard.own];
}
