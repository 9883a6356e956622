/**
 * A token bucket of failures for each name: `limit` at once, refilled evenly over the window. It is kept in memory, per
 * replica. A name with a full bucket is not kept; beyond `maxNames` the name whose last failure is oldest is dropped.
 */
export class Trials {
  private readonly names = new Map<string, { left: number; atMs: number }>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly maxNames: number,
  ) {}

  /** Milliseconds until the name may fail again; 0 means now. */
  waitMs(name: string, nowMs: number): number {
    const left = this.left(name, nowMs);
    return left >= 1 ? 0 : Math.ceil(((1 - left) * this.windowMs) / this.limit);
  }

  /**
   * @returns whether this failure used up the name's last one. Concurrent failures are paid off later, up to a whole
   *   window.
   */
  fail(name: string, nowMs: number): boolean {
    const before = this.left(name, nowMs);
    const left = Math.max(before - 1, -this.limit);
    // Reinserted at the end: the map is ordered by last failure.
    this.names.delete(name);
    this.names.set(name, { left, atMs: nowMs });
    for (const oldest of this.names.keys()) {
      if (this.names.size <= this.maxNames) break;
      this.names.delete(oldest);
    }
    return before >= 1 && left < 1;
  }

  private left(name: string, nowMs: number): number {
    const known = this.names.get(name);
    if (!known) return this.limit;
    const left = known.left + ((nowMs - known.atMs) * this.limit) / this.windowMs;
    if (left < this.limit) return left;
    this.names.delete(name);
    return this.limit;
  }
}
