import type { FactoryProvider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChangeListener } from './change-listener.js';

/** Settings of services that listen for changes. */
export interface ChangeSettings {
  DATABASE_URL: string;
  /** Postgres itself, where DATABASE_URL leads to a pooler. */
  DATABASE_DIRECT_URL: string | null;
  /** How long rarely changed values are cached while changes are heard. */
  CHANGE_CACHE_MS: number;
}

/**
 * Listens for the changes that triggers announce, on a connection of its own.
 * @param schemas the service's own, and those of services whose answers it caches
 */
export function changeListenerProvider(
  applicationName: string,
  settings: Omit<ChangeSettings, 'CHANGE_CACHE_MS'>,
  schemas: readonly [string, ...string[]],
): FactoryProvider<ChangeListener> {
  const url = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
  return {
    provide: ChangeListener,
    useFactory: (db: DataSource) => new ChangeListener(db, { url, applicationName, schemas }),
    inject: [DataSource],
  };
}
