import { Logger } from '@nestjs/common';

export interface SweeperOptions {
  name: string;
  everyMs: number;
  /** Does one batch; returns how many rows it took. A full batch is followed by the next one at once. */
  sweep: (limit: number) => Promise<number>;
  batch: number;
}

/** Runs a background sweep at intervals, never twice at a time in one process, and survives its failures. */
export class Sweeper {
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: SweeperOptions) {
    this.logger = new Logger(`sweeper:${options.name}`);
  }

  start(): this {
    // The first run comes after a random part of the interval, so that replicas do not sweep in step.
    this.schedule(Math.random() * this.options.everyMs);
    return this;
  }

  /** Waits for a running sweep to end. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.current;
  }

  private schedule(delayMs: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.current = this.run();
    }, delayMs);
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.options.sweep(this.options.batch)) >= this.options.batch);
    } catch (error) {
      this.logger.warn(`sweep failed, next in ${this.options.everyMs} ms: ${String(error)}`);
    }
    this.schedule(this.options.everyMs);
  }
}
