import { idTimeMs } from '#libs/contracts';

/** A project over its share stays so for at least this long: by then, what it has in the queues should be through. */
const overAtLeastMs = 5_000;

/** The state of the queues, and what was added since the last reading. */
export interface Reading {
  /** Whether no messages within a share are waiting. */
  ownIsDone: boolean;
  /** Whether no surplus is waiting. */
  surplusIsDone: boolean;
  added: number;
  nowMs: number;
}

/**
 * Decides which messages of a project are within its share. Each project has an advance, a number of messages, and gets
 * it back once no messages within a share are waiting. While some project is over its share, the others get back only
 * their part of what passes meanwhile; what they send beyond that is over, too.
 *
 * A project stays over its share until its surplus is through or it has sent less than its part for a while, so that
 * its later messages do not overtake its earlier ones.
 */
export class ProjectShares {
  /** What is left of a project's advance; absent: all of it. */
  private readonly left = new Map<string, number>();
  /** When a project went over its share, by `performance.now()`. */
  private readonly overSince = new Map<string, number>();
  private low = false;

  /** @param advance messages that each project may send ahead */
  constructor(private readonly advance: number) {}

  /** Projects over their share. */
  get over(): number {
    return this.overSince.size;
  }

  /** Whether the queues should be read: an advance is half used up, or a project is over its share. */
  get isLow(): boolean {
    return this.low || this.over > 0;
  }

  isOver(projectId: string): boolean {
    return this.overSince.has(projectId);
  }

  /** Counts a message. @returns false when it is over the share */
  take(projectId: string, nowMs = performance.now()): boolean {
    const left = this.left.get(projectId) ?? this.advance;
    this.left.set(projectId, Math.max(0, left - 1));
    if (left - 1 < this.advance / 2) this.low = true;
    if (left > 0 && !this.isOver(projectId)) return true;
    if (!this.isOver(projectId)) this.overSince.set(projectId, nowMs);
    return false;
  }

  /** @param waits whether messages of a project wait for room */
  read({ ownIsDone, surplusIsDone, added, nowMs }: Reading, waits: (projectId: string) => boolean): void {
    this.low = false;
    if (this.over > 0) this.giveBack(added);
    else if (ownIsDone) this.left.clear();
    for (const [projectId, sinceMs] of this.overSince) {
      if (waits(projectId)) continue;
      const slow = !this.left.has(projectId) && nowMs - sinceMs >= overAtLeastMs;
      if (!surplusIsDone && !slow) continue;
      this.overSince.delete(projectId);
      this.left.delete(projectId);
    }
  }

  private giveBack(added: number): void {
    const part = Math.max(1, Math.ceil(added / Math.max(1, this.left.size)));
    for (const [projectId, left] of this.left) {
      if (left + part >= this.advance) this.left.delete(projectId);
      else this.left.set(projectId, left + part);
    }
  }
}

/** A receipt that waits for room. */
export interface InLine {
  projectId: string;
  id: string;
  /** For a receipt that is enqueued again: the attempts recorded in its timeline. Absent: it was never enqueued. */
  attempts?: number;
}

/**
 * Receipts that wait for room, by project, in order within each. Projects take turns, however many receipts each has.
 */
export class ProjectLines {
  /** The project whose turn is next comes first. */
  private readonly lines = new Map<string, Map<string, InLine>>();
  private count = 0;

  /** @param most ids in total; one project may hold four fifths of them, so that others find a place */
  constructor(private readonly most: number) {}

  get size(): number {
    return this.count;
  }

  get projects(): number {
    return this.lines.size;
  }

  lengthOf(projectId: string): number {
    return this.lines.get(projectId)?.size ?? 0;
  }

  has(id: string): boolean {
    return [...this.lines.values()].some((line) => line.has(id));
  }

  /** A receipt that finds no place is left to the sweep. */
  add(one: InLine): void {
    if (this.count >= this.most || this.lengthOf(one.projectId) >= this.most * 0.8) return;
    let line = this.lines.get(one.projectId);
    if (!line) this.lines.set(one.projectId, (line = new Map()));
    if (!line.has(one.id)) this.count += 1;
    line.set(one.id, one);
  }

  /**
   * Takes one receipt of each project in turn, up to `limit`. The next call continues with the project after the last.
   * @param mayTake whether one more of a project may go now
   */
  take(limit: number, mayTake: (projectId: string) => boolean = () => true): InLine[] {
    const taken: InLine[] = [];
    for (let before = -1; taken.length > before && taken.length < limit;) {
      before = taken.length;
      for (const [projectId, line] of Array.from(this.lines)) {
        if (taken.length >= limit) break;
        if (mayTake(projectId)) taken.push(this.first(projectId, line));
      }
    }
    return taken;
  }

  /** Puts back what was taken and could not be read, ahead of what came since. */
  putBack(taken: InLine[]): void {
    for (const [projectId, ones] of Map.groupBy(taken, (one) => one.projectId)) {
      const since = this.lines.get(projectId) ?? new Map<string, InLine>();
      this.count += ones.length;
      this.lines.set(projectId, new Map([...ones.map((one) => [one.id, one] as const), ...since]));
    }
  }

  /** Age of the oldest receipt in ms, 0 when none waits. */
  get oldestMs(): number {
    const firsts = [...this.lines.values()].flatMap((line) => line.keys().next().value ?? []);
    return firsts.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...firsts.map(idTimeMs)));
  }

  private first(projectId: string, line: Map<string, InLine>): InLine {
    const [one] = line.values();
    if (!one) throw new Error('a line without receipts is none');
    line.delete(one.id);
    this.count -= 1;
    this.lines.delete(projectId);
    if (line.size > 0) this.lines.set(projectId, line);
    return one;
  }
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Limits the messages per second of each project, in bursts of one second's worth. Counted in this process only. */
export class ProjectRates {
  private readonly buckets = new Map<string, Bucket>();

  /** @param rateOf messages per second of a project; 0: no limit */
  constructor(readonly rateOf: (projectId: string) => number) {}

  /** Counts a message if it may go now. @returns whether it may */
  take(projectId: string, nowMs = performance.now()): boolean {
    const rate = this.rateOf(projectId);
    if (rate === 0) return true;
    const bucket = this.buckets.get(projectId) ?? { tokens: rate, atMs: nowMs };
    const tokens = Math.min(rate, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * rate);
    this.buckets.set(projectId, { tokens: tokens < 1 ? tokens : tokens - 1, atMs: nowMs });
    return tokens >= 1;
  }
}
