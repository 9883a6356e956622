import { RunLater } from '#libs/queue';

const opensAfter = 5;
const openForMs = 3_000;

export const circuitOpenCode = 'circuit_open';

/**
 * One circuit per adapter. After some failures in a row its calls wait, instead of each costing an attempt and a
 * time-out. After a pause, one call at a time goes through as a trial.
 */
export class Breaker {
  private readonly failures = new Map<string, { count: number; openUntilMs: number; succeededMs: number }>();

  /** @param closed called with the key of an open circuit that closes */
  constructor(private readonly closed: (key: string) => void) {}

  /** @returns whether the call is the trial of a half-open circuit. @throws RunLater while the circuit is open */
  check(key: string): boolean {
    const state = this.failures.get(key);
    if (!state || state.count < opensAfter) return false;
    const waitMs = state.openUntilMs - Date.now();
    if (waitMs > 0) throw new RunLater(waitMs + Math.ceil(Math.random() * 500), circuitOpenCode);
    // Half open: this call goes through, the others wait for its result.
    state.openUntilMs = Date.now() + openForMs;
    return true;
  }

  succeeded(key: string): void {
    const wasOpen = (this.failures.get(key)?.count ?? 0) >= opensAfter;
    this.failures.set(key, { count: 0, openUntilMs: 0, succeededMs: performance.now() });
    if (wasOpen) this.closed(key);
  }

  /** @param beganMs when the call began: if later calls were answered since, its failure says nothing about now */
  failed(key: string, beganMs: number): void {
    const { count, succeededMs } = this.failures.get(key) ?? { count: 0, succeededMs: 0 };
    if (beganMs < succeededMs) return;
    this.failures.set(key, { count: count + 1, openUntilMs: Date.now() + openForMs, succeededMs });
  }

  /** Keys of the circuits that let nothing through now, and of those that wait for a trial. */
  get open(): { shut: string[]; halfOpen: string[] } {
    const nowMs = Date.now();
    const open = [...this.failures].filter(([, { count }]) => count >= opensAfter);
    const [shut, halfOpen] = [true, false].map((shutNow) =>
      open.filter(([, { openUntilMs }]) => openUntilMs > nowMs === shutNow).map(([key]) => key),
    );
    return { shut: shut ?? [], halfOpen: halfOpen ?? [] };
  }
}

const slotWaitMs = 1_000;
const comeBackMs = 2_000;

export const busyCode = 'adapter_busy';

/**
 * Bounds the calls in flight per target in this process. Over the limit a call waits a moment for a slot, then goes
 * back to its queue: a target that hangs uses up only its own slots.
 */
export class CallSlots {
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly limit: number) {}

  /** Targets without a free slot. */
  get full(): string[] {
    return [...this.taken].filter(([, taken]) => taken >= this.limit).map(([key]) => key);
  }

  /** @throws RunLater `adapter_busy` */
  async run<T>(key: string, call: () => Promise<T>): Promise<T> {
    await this.take(key);
    try {
      return await call();
    } finally {
      this.give(key);
    }
  }

  private async take(key: string): Promise<void> {
    const taken = this.taken.get(key) ?? 0;
    if (taken < this.limit) {
      this.taken.set(key, taken + 1);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const queue = this.waiting.get(key) ?? [];
      this.waiting.set(key, queue);
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(next), 1);
        reject(new RunLater(comeBackMs + Math.ceil(Math.random() * comeBackMs), busyCode));
      }, slotWaitMs);
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      queue.push(next);
    });
  }

  /** Hands the slot to the next waiting call, or frees it. */
  private give(key: string): void {
    const next = this.waiting.get(key)?.shift();
    if (next) return next();
    this.waiting.delete(key);
    const taken = (this.taken.get(key) ?? 1) - 1;
    if (taken > 0) this.taken.set(key, taken);
    else this.taken.delete(key);
  }
}
