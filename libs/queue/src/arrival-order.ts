import type { RedisConnection } from './connection.js';

/** A set that nobody adds to for so long is forgotten. */
const keptMs = 600_000;

/**
 * Which receipts of an App were acknowledged and are on their way to their sessions, in the order of their ids: whoever
 * stores turns lets a later one wait for an earlier one. A place is a receipt's id, with an ending where it has several.
 * Nothing here is the truth: without Redis nobody waits, and a place that was left behind is given up.
 */
export class ArrivalOrder {
  private changes = new Map<string, { enter: string[]; leave: string[] }>();
  private timer: NodeJS.Immediate | undefined;

  constructor(private readonly redis: RedisConnection) {}

  /** Takes a place; before the job that carries it is added by the same client. */
  enter(appId: string, place: string): void {
    this.changeOf(appId).enter.push(place);
  }

  /** Gives a place up: its turn is stored, it has ended, or it has to be tried again. */
  leave(appId: string, place: string): void {
    this.changeOf(appId).leave.push(place);
  }

  /**
   * The first places up to one of them, in order.
   * @throws when Redis does not answer
   */
  async upTo(appId: string, place: string, limit: number): Promise<string[]> {
    this.flush();
    return this.redis.zrange(keyOf(appId), '-', `[${place}`, 'BYLEX', 'LIMIT', 0, limit);
  }

  /** What changes in one tick goes in one command, and before a job that is added in it. */
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
    // Without it nobody waits, or somebody waits in vain for as long as they may.
    answer.catch(() => undefined);
  }
}

const keyOf = (appId: string): string => `{gatehouse:q:order}:${appId}`;
