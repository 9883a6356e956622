import type { FactoryProvider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChangeListener } from './change-listener.js';
import type { ServiceSchema } from './service-schema.js';

/** What hearing of changes takes: settings of the services that do. */
export interface ChangeSettings {
  DATABASE_URL: string;
  /** Postgres itself, where DATABASE_URL leads to a pooler. */
  DATABASE_DIRECT_URL: string | null;
  /** How long what seldom changes is kept while changes of it are heard of. */
  CHANGE_CACHE_MS: number;
}

/** Hears of the changes that the schema's triggers tell of, on a connection of its own. */
export function changeListenerProvider(
  { name: schema }: ServiceSchema,
  applicationName: string,
  settings: ChangeSettings,
): FactoryProvider<ChangeListener> {
  const url = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
  return {
    provide: ChangeListener,
    useFactory: (db: DataSource) => new ChangeListener(db, { url, applicationName, schema }),
    inject: [DataSource],
  };
}
