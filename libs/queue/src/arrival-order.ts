import type { RedisConnection } from './connection.js';
import type { RedisHealth } from './health/redis-health.js';

/** An App's set is dropped when nothing was added to it for this long. */
const keptMs = 600_000;

/**
 * The acknowledged receipts of an App that are on their way to their sessions, in the order of their ids. Whoever
 * stores turns lets a later one wait for an earlier one. A place is a receipt's id, with a suffix where a receipt has
 * several. Nothing here is authoritative: without Redis no turn waits, and a place that was left behind is given up
 * after a time.
 */
export class ArrivalOrder {
  private changes = new Map<string, { enter: string[]; leave: string[] }>();
  private timer: NodeJS.Immediate | undefined;

  constructor(
    private readonly redis: RedisConnection,
    private readonly health: RedisHealth,
  ) {}

  /** Takes a place. Call it before the same client adds the job that carries the receipt. */
  enter(appId: string, place: string): void {
    this.changeOf(appId).enter.push(place);
  }

  /** Gives up a place: its turn is stored, its receipt has ended, or it has to be retried. */
  leave(appId: string, place: string): void {
    this.changeOf(appId).leave.push(place);
  }

  /**
   * The first places up to and including `place`, in order.
   * @throws when Redis does not answer
   */
  async upTo(appId: string, place: string, limit: number): Promise<string[]> {
    this.flush();
    return this.redis.zrange(keyOf(appId), '-', `[${place}`, 'BYLEX', 'LIMIT', 0, limit);
  }

  /** The changes of one tick go in one command, ahead of any job that is added in that tick. */
  private changeOf(appId: string): { enter: string[]; leave: string[] } {
    let change = this.changes.get(appId);
    if (!change) this.changes.set(appId, (change = { enter: [], leave: [] }));
    this.timer ??= setImmediate(() => this.flush());
    return change;
  }

  private flush(): void {
    clearImmediate(this.timer);
    this.timer = undefined;
    const { changes } = this;
    this.changes = new Map();
    for (const [appId, { enter, leave }] of changes) {
      const key = keyOf(appId);
      if (enter.length > 0) {
        this.send(this.redis.zadd(key, ...enter.flatMap((place) => [0, place])));
        this.send(this.redis.pexpire(key, keptMs));
      }
      if (leave.length > 0) this.send(this.redis.zrem(key, ...leave));
    }
  }

  private send(answer: Promise<unknown>): void {
    // If it fails, turns are not ordered, or one waits in vain for as long as it may.
    answer.catch((error: unknown) => this.health.note(error));
  }
}

const keyOf = (appId: string): string => `{gatehouse:q:order}:${appId}`;
