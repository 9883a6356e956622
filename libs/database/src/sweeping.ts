import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Sweeper, type SweeperOptions } from './sweeper.js';

/** A provider with sweeps that run from when the service has started until it begins to stop. */
export abstract class Sweeping implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly sweepers: Sweeper[] = [];

  /** Has a sweep run at intervals. */
  protected sweepEvery(options: SweeperOptions): void {
    this.sweepers.push(new Sweeper(options));
  }

  onApplicationBootstrap(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
