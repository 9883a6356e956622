import { Database } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import type { FactoryProvider } from '@nestjs/common';
import type { JournalEntry } from './entry.js';
import { Journal } from './journal.js';

/**
 * The journal of one service, on that service's own connections.
 * @param skips entries that are not written
 */
export function journalProvider(service: string, skips?: (entry: JournalEntry) => boolean): FactoryProvider<Journal> {
  return {
    provide: Journal,
    useFactory: (db: Database, metrics: Metrics) =>
      new Journal(
        db,
        service,
        () => metrics.journalLost.inc(),
        ({ stage, outcome }) => metrics.outcomes.inc({ stage, outcome }),
        skips,
      ),
    inject: [Database, Metrics],
  };
}
