import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Liveness } from './liveness.js';

export interface SweeperOptions {
  name: string;
  everyMs: number;
  /** The pause after a sweep that found nothing, where whoever writes a row calls `soon`; else `everyMs`. */
  idleMs?: number;
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
  /** Asked for while a sweep ran, which may have looked before. */
  private again = false;
  private stopped = false;
  private lost = false;

  constructor(private readonly options: SweeperOptions) {
    this.logger = new Logger(`sweeper:${options.name}`);
  }

  start(): this {
    // The first run comes after a random part of the interval, so that replicas do not sweep in step.
    this.schedule(Math.random() * this.options.everyMs);
    this.options.losses?.onLoss(() => {
      this.lost = true;
      this.soon();
    });
    return this;
  }

  /** Something was written that is due: it is looked for at once, without waiting for the interval. */
  soon(): void {
    if (!this.timer) this.again = true;
    else {
      clearTimeout(this.timer);
      this.schedule(0);
    }
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
      this.timer = undefined;
      this.current = this.run();
    }, delayMs);
  }

  private async run(): Promise<void> {
    const { everyMs, idleMs = everyMs, batch, afterLoss } = this.options;
    const lost = this.lost;
    this.lost = false;
    this.again = false;
    let found = 0;
    let pauseMs = everyMs;
    try {
      if (lost) await afterLoss?.();
      for (let taken = batch; taken >= batch && !this.stopped; found += taken) {
        taken = await this.options.sweep(batch);
      }
      pauseMs = found > 0 ? everyMs : idleMs;
    } catch (error) {
      this.lost ||= lost;
      this.logger.warn(`sweep failed, next in ${everyMs} ms: ${String(error)}`);
    }
    this.schedule(this.again ? 0 : pauseMs);
  }
}

/** A provider with sweeps that run from when the service has started until it begins to stop. */
export abstract class Sweeping implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly sweepers: Sweeper[] = [];

  /** Has a sweep run at intervals. */
  protected sweepEvery(options: SweeperOptions): Sweeper {
    const sweeper = new Sweeper(options);
    this.sweepers.push(sweeper);
    return sweeper;
  }

  onApplicationBootstrap(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
