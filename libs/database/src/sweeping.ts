import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Sweeper, type SweeperOptions } from './sweeper.js';

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
