import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import { RetentionRepository } from './retention.repository.js';

const sweepEveryMs = 600_000;
const rowsAtATime = 2_000;

/** Deletes what is over the retention, some rows at a time, so that it never stands in anybody's way. */
@Injectable()
export class EngineRetention extends Sweeping {
  constructor(@Inject(RetentionRepository) rows: RetentionRepository, @Inject(SETTINGS) settings: EngineSettings) {
    super();
    for (const table of rows.tables) {
      this.sweepEvery({
        name: `retention-${table}`,
        everyMs: sweepEveryMs,
        batch: rowsAtATime,
        sweep: (limit) => rows.deleteOld(table, settings.RETENTION_DAYS, limit),
      });
    }
  }
}
