import { Sweeper } from '#libs/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RouterSettings } from '../../env.js';
import { routerSettings } from '../../settings.js';
import { RetentionRepository } from './retention.repository.js';

const sweepEveryMs = 600_000;
const rowsAtATime = 2_000;

/** Deletes what is over the retention, some rows at a time, so that it never stands in anybody's way. */
@Injectable()
export class RouterRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sweepers: Sweeper[];

  constructor(
    @Inject(RetentionRepository) rows: RetentionRepository,
    @Inject(routerSettings) settings: RouterSettings,
  ) {
    this.sweepers = rows.tables.map(
      (table) =>
        new Sweeper({
          name: `retention-${table}`,
          everyMs: sweepEveryMs,
          batch: rowsAtATime,
          sweep: (limit) => rows.deleteOld(table, settings.RETENTION_DAYS, limit),
        }),
    );
  }

  onApplicationBootstrap(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
