/**
 * Failures that each name may still have: so many at once, and as many again within the window, one after the other. In
 * memory, and of this replica. A name whose failures have all been forgiven is not kept; past `maxNames` the one that failed
 * longest ago is forgotten.
 */
export class Trials {
  private readonly names = new Map<string, { left: number; atMs: number }>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly maxNames: number,
  ) {}

  /** Milliseconds until the name may fail once more; 0: now. */
  waitMs(name: string, nowMs: number): number {
    const left = this.left(name, nowMs);
    return left >= 1 ? 0 : Math.ceil(((1 - left) * this.windowMs) / this.limit);
  }

  /** @returns whether this was the last one that the name had. Failures that came at once are paid later, up to a window. */
  fail(name: string, nowMs: number): boolean {
    const before = this.left(name, nowMs);
    const left = Math.max(before - 1, -this.limit);
    // Put last: the order of the map is that of the last failures.
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
