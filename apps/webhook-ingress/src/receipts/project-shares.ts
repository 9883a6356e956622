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
