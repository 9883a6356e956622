import { Logger } from '@nestjs/common';
import type { Liveness } from './liveness.js';

export interface SweeperOptions {
  name: string;
  everyMs: number;
  /** Does one batch; returns how many rows it took. A full batch is followed by the next one at once. */
  sweep: (limit: number) => Promise<number>;
  batch: number;
  /** Sweeps at once after each loss. */
  losses?: Liveness;
  /** What is done first after one. */
  afterLoss?: () => Promise<unknown>;
}

/** Runs a background sweep at intervals, never twice at a time in one process, and survives its failures. */
export class Sweeper {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private stopped = false;
  private lost = false;

  constructor(private readonly options: SweeperOptions) {
    this.logger = new Logger(`sweeper:${options.name}`);
  }

  start(): this {
    // The first run comes after a random part of the interval, so that replicas do not sweep in step.
    this.schedule(Math.random() * this.options.everyMs);
    this.options.losses?.onLoss(() => this.expedite());
    return this;
  }

  /** Waits for a running sweep to end. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.current;
  }

  private expedite(): void {
    this.lost = true;
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.schedule(0);
  }

  private schedule(delayMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.current = this.run();
    }, delayMs);
  }

  private async run(): Promise<void> {
    const { everyMs, sweep, batch, afterLoss } = this.options;
    const lost = this.lost;
    this.lost = false;
    let nextMs = everyMs;
    try {
      if (lost) await afterLoss?.();
      while (!this.stopped && (await sweep(batch)) >= batch);
      if (this.lost) nextMs = 0;
    } catch (error) {
      this.lost ||= lost;
      this.logger.warn(`sweep failed, next in ${everyMs} ms: ${String(error)}`);
    }
    this.schedule(nextMs);
  }
}
