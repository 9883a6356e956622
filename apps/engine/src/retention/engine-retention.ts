import { Sweeping } from '#libs/database';
import { ProjectLimits } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { RetentionRepository } from './retention.repository.js';

const sweepEveryMs = 600_000;
const rowsAtATime = 2_000;

/** Deletes what is over the retention, some rows at a time, so that it never stands in anybody's way. */
@Injectable()
export class EngineRetention extends Sweeping {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: EngineSettings) {
    super();
    this.sweepEvery({
      name: 'retention-projects',
      everyMs: sweepEveryMs,
      batch: rowsAtATime,
      sweep: async (limit) => {
        let most = 0;
        for (const { projectId, days } of limits.shorterThan(settings.RETENTION_DAYS)) {
          most = Math.max(most, await rows.deleteOldOf(projectId, days, limit));
        }
        return most;
      },
    });
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
