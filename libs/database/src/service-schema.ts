import type { DataSourceOptions, EntitySchema, MigrationInterface } from 'typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { PreparingClient } from './preparing-client.js';
import { ResilientClient } from './resilient-client.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** What one service keeps in Postgres: its own schema, which no other service reads. */
export interface ServiceSchema {
  /** The Postgres schema; `migrate` creates it when it is missing. */
  name: string;
  entities: (Function | EntitySchema)[];
  /** In order, listed explicitly: exactly this list runs. */
  migrations: (new () => MigrationInterface)[];
  /** By service: what services other than the owner may do here, each entry the text between GRANT and TO. */
  grants?: Record<string, string[]>;
}

export interface ConnectionSettings {
  url: string;
  /** Connections that this process may hold. */
  poolSize: number;
  applicationName: string;
}

/**
 * TypeORM options of a service. It sends no connection parameter that PgBouncer refuses: the timeouts that keep a stuck
 * database from becoming a stuck service are settings of the role. `prepare=false` in the URL is for a pooler that does
 * not support prepared statements.
 */
export function dataSourceOptions(schema: ServiceSchema, settings: ConnectionSettings): PostgresOptions {
  return {
    type: 'postgres',
    // Otherwise TypeORM loads it by name, past the bundled copy.
    driver: pg,
    url: settings.url,
    schema: schema.name,
    entities: schema.entities,
    migrations: schema.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    synchronize: false,
    applicationName: settings.applicationName,
    poolSize: settings.poolSize,
    connectTimeoutMS: 5_000,
    extra: { keepAlive: true, Client: prepares(settings.url) ? PreparingClient : ResilientClient },
  };
}

const prepares = (url: string): boolean => URL.parse(url)?.searchParams.get('prepare') !== 'false';

/**
 * Runs a schema's migrations on a connection of its own, one process at a time (advisory lock), so that several
 * replicas may start at once.
 * @returns the names of the migrations that ran
 */
export async function migrate(schema: ServiceSchema, url: string): Promise<string[]> {
  const source = new DataSource({
    ...dataSourceOptions(schema, { url, poolSize: 2, applicationName: `migrate-${schema.name}` }),
    extra: {},
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock(hashtext($1))', [`gatehouse-migrate-${schema.name}`]);
    // Not IF NOT EXISTS: that needs the right to create schemas even when there is nothing to create.
    const found = (await lock.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema.name])) as unknown[];
    if (found.length === 0) await lock.query(`CREATE SCHEMA "${schema.name}"`);
    const done = await source.runMigrations();
    return done.map((migration) => migration.name);
  } finally {
    await lock.query('SELECT pg_advisory_unlock(hashtext($1))', [`gatehouse-migrate-${schema.name}`]);
    await lock.release();
    await source.destroy();
  }
}
