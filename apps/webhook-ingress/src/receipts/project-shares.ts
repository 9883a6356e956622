/** A project that is over its share stays so for that long at least: what it has in the queues should be through by then. */
const overAtLeastMs = 5_000;

/** What was read of the queues, and what was added to them since the reading before. */
export interface Reading {
  /** Whether nothing waits of what is within a share. */
  ownIsDone: boolean;
  /** Whether nothing waits of surplus. */
  surplusIsDone: boolean;
  added: number;
  nowMs: number;
}

/**
 * Which messages of a project are within its share. Each project has so many messages in advance; it has them back once
 * nothing waits of what is within a share. While some project is over, the others get back their part of what goes in
 * meanwhile: more of it than that is over, too.
 *
 * A project that is over stays so until its surplus is through, or it has sent less than its part for a while: its later
 * messages do not pass its earlier ones.
 */
export class ProjectShares {
  /** What is left of its advance; absent: all. */
  private readonly left = new Map<string, number>();
  /** Since when a project is over, by `performance.now()`. */
  private readonly overSince = new Map<string, number>();
  private low = false;

  /** @param advance messages of a project */
  constructor(private readonly advance: number) {}

  /** Projects that are over. */
  get over(): number {
    return this.overSince.size;
  }

  /** Whether somebody should look how the queues are: an advance is half used up, or a project is over. */
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
