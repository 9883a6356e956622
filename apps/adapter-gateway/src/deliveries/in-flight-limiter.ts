/** Work that goes on by itself, bounded and waited for at the end. */
export class InFlightLimiter {
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly limit: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** How much more may be added at once. */
  get free(): number {
    return Math.max(0, this.limit - this.running.size);
  }

  /** Resolves when less than the limit is under way. */
  async room(): Promise<void> {
    while (this.running.size >= this.limit) await Promise.race(this.running);
  }

  add(work: Promise<void>): void {
    const tracked = work.catch(this.onFailure).finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}
