import { Database } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import type { FactoryProvider } from '@nestjs/common';
import { Journal } from './journal.js';

/** The journal of one service, on that service's own connections. */
export function journalProvider(service: string): FactoryProvider<Journal> {
  return {
    provide: Journal,
    useFactory: (db: Database, metrics: Metrics) =>
      new Journal(
        db,
        service,
        () => metrics.journalLost.inc(),
        ({ stage, outcome }) => metrics.outcomes.inc({ stage, outcome }),
      ),
    inject: [Database, Metrics],
  };
}
