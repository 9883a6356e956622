import { RunLater } from '#libs/queue';

const opensAfter = 5;
const openForMs = 3_000;

/**
 * One circuit per adapter: after some failures in a row its calls wait, instead of each burning an attempt and a
 * time-out; after a pause one call at a time tries it.
 */
export class Breaker {
  private readonly failures = new Map<string, { count: number; openUntilMs: number }>();

  /** @throws RunLater while the circuit is open */
  check(key: string): void {
    const state = this.failures.get(key);
    if (!state || state.count < opensAfter) return;
    const waitMs = state.openUntilMs - Date.now();
    if (waitMs > 0) throw new RunLater(waitMs + Math.ceil(Math.random() * 500), 'circuit_open');
    // Half open: this call goes through, the others wait for its result.
    state.openUntilMs = Date.now() + openForMs;
  }

  succeeded(key: string): void {
    this.failures.delete(key);
  }

  failed(key: string): void {
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    this.failures.set(key, { count, openUntilMs: Date.now() + openForMs });
  }

  get open(): number {
    return [...this.failures.values()].filter((state) => state.count >= opensAfter).length;
  }
}
