import { Sweeping } from '#libs/database';
import type { ProjectLimits } from './project-limits.repository.js';

const sweepEveryMs = 600_000;
const rowsAtATime = 2_000;

/** Rows that a service keeps for a time. Both deletions return how many rows they deleted, at most `limit`. */
export interface RetainedRows<Table extends string> {
  readonly tables: readonly Table[];
  deleteOld(table: Table, keepDays: number, limit: number): Promise<number>;
  deleteOldOf(projectId: string, keepDays: number, limit: number): Promise<number>;
}

/** Deletes rows past the retention, a few at a time, so that it never blocks other work. */
export abstract class Retention<Table extends string> extends Sweeping {
  /** @param keepDays of the installation; projects may have fewer */
  constructor(rows: RetainedRows<Table>, limits: ProjectLimits, keepDays: number) {
    super();
    this.sweepEvery({
      name: 'retention-projects',
      everyMs: sweepEveryMs,
      batch: rowsAtATime,
      sweep: async (limit) => {
        let most = 0;
        for (const { projectId, days } of limits.shorterThan(keepDays)) {
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
        sweep: (limit) => rows.deleteOld(table, keepDays, limit),
      });
    }
  }
}
