import { Database, Sweeping } from '#libs/database';
import { countJournal, forgetStatistics, joinOldMinutes } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';

/** Anything newer is counted from the journal on request; each count writes the rows of its minute. */
const countEveryMs = 60_000;
const tidyEveryMs = 3_600_000;
/** Longer than a statement that writes entries may take. */
const lagMs = 20_000;

/** Keeps the counts for charts over time: off every message's path, in one replica at a time. */
@Injectable()
export class StatisticsSweeps extends Sweeping {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    super();
    this.sweepEvery({ name: 'statistics', everyMs: countEveryMs, batch: 1, sweep: () => this.count() });
    this.sweepEvery({ name: 'old-statistics', everyMs: tidyEveryMs, batch: 1, sweep: () => this.tidy() });
  }

  private async count(): Promise<number> {
    return (await countJournal(this.db, lagMs)) ? 1 : 0;
  }

  private async tidy(): Promise<number> {
    await joinOldMinutes(this.db, this.settings.STATISTICS_MINUTE_DAYS);
    await forgetStatistics(this.db, this.settings.STATISTICS_DAYS);
    return 0;
  }
}
