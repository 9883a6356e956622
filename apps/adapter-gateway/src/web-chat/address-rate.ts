const windowMs = 60_000;
/** Addresses that are counted; beyond that the oldest are forgotten. */
const maxTracked = 10_000;

/** Counts what addresses ask for in a minute, in this process. */
export class AddressRate {
  private readonly counted = new Map<string, { sinceMs: number; count: number }>();

  /** @returns 0, or in how many ms the address has room again */
  waitOf(address: string, most: number): number {
    const nowMs = performance.now();
    const known = this.counted.get(address);
    if (!known || nowMs - known.sinceMs >= windowMs) {
      this.counted.delete(address);
      this.counted.set(address, { sinceMs: nowMs, count: 1 });
      const [oldest] = this.counted.keys();
      if (this.counted.size > maxTracked && oldest !== undefined) this.counted.delete(oldest);
      return 0;
    }
    known.count += 1;
    return known.count > most ? windowMs - (nowMs - known.sinceMs) : 0;
  }
}
