import { RunLater } from '#libs/queue';

const waitMs = 1_000;
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
      }, waitMs);
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
