import { type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Liveness } from './liveness.js';
import { LastingTrouble } from './lasting-trouble.js';

export interface SweeperOptions {
  name: string;
  everyMs: number;
  /** The pause after a sweep that found nothing, where writers of rows call `soon`; otherwise `everyMs`. */
  idleMs?: number;
  /** Handles one batch and returns how many rows it took. After a full batch the next one follows at once. */
  sweep: (limit: number) => Promise<number>;
  batch: number;
  /** Sweeps at once after each loss. */
  losses?: Liveness;
  /** Runs before the sweep that follows a loss. */
  afterLoss?: () => Promise<unknown>;
}

/** Of all sweepers of this process: Postgres is away for each of them. */
const trouble = new LastingTrouble('sweepers', 'sweeps.failing');

/** Runs a background sweep at intervals, never twice at a time in one process, and survives its failures. */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  /** Requested during a sweep that may already have looked past the new row. */
  private isRepeated = false;
  private stopped = false;
  private lost = false;

  constructor(private readonly options: SweeperOptions) {}

  start(): this {
    // The first run comes after a random part of the interval, so that replicas do not sweep in step.
    this.schedule(Math.random() * this.options.everyMs);
    this.options.losses?.onLoss(() => {
      this.lost = true;
      this.soon();
    });
    return this;
  }

  /** Sweeps at once instead of waiting for the interval, because something due was written. */
  soon(): void {
    if (!this.timer) this.isRepeated = true;
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
    const { name, everyMs, idleMs = everyMs, batch, afterLoss } = this.options;
    const lost = this.lost;
    this.lost = false;
    this.isRepeated = false;
    let found = 0;
    let pauseMs = everyMs;
    try {
      if (lost) await afterLoss?.();
      for (let taken = batch; taken >= batch && !this.stopped; found += taken) {
        taken = await this.options.sweep(batch);
      }
      pauseMs = found > 0 ? everyMs : idleMs;
      trouble.works(name);
    } catch (error) {
      this.lost ||= lost;
      trouble.fails(name, error);
    }
    this.schedule(this.isRepeated ? 0 : pauseMs);
  }
}

/** A provider whose sweeps run from the service's start until its shutdown begins. */
export abstract class Sweeping implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly sweepers: Sweeper[] = [];

  /** Runs a sweep at intervals. */
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
