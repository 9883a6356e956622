import { setTimeout as pause } from 'node:timers/promises';
import type { DataSourceOptions, EntitySchema, MigrationInterface, QueryRunner } from 'typeorm';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { buildingOf, untilLocked } from './large-index.js';
import { PreparingClient } from './preparing-client.js';
import { DatabaseRefused } from './preparing-job.js';
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

/** Of migrations that wait for a lock, in ms. */
export interface LockWaits {
  /** Everything that needs the table waits behind a migration that waits for it. */
  onceMs: number;
  /** All the times together. */
  totalMs: number;
}

/** What waited behind a migration goes on, before the migration tries once more. */
const betweenTriesMs = 1_000;
const saysBuildEveryMs = 10_000;
/** SQLSTATE lock_not_available. */
const notAvailable = '55P03';

/**
 * Runs a schema's migrations on a connection of its own, one process at a time (advisory lock), so that several
 * replicas may start at once. A migration that does not get a lock in time makes way and is tried once more: those before
 * it stay done.
 * @param saysWait gets a sentence whenever that happens, and now and then while an index is built
 * @returns the names of the migrations that ran
 * @throws DatabaseRefused where a migration got no lock in `waits.totalMs`
 */
export async function migrate(
  schema: ServiceSchema,
  url: string,
  waits: LockWaits = { onceMs: 2_000, totalMs: 600_000 },
  saysWait: (why: string) => void = () => undefined,
): Promise<string[]> {
  const source = new DataSource({
    ...dataSourceOptions(schema, { url, poolSize: 2, applicationName: `migrate-${schema.name}` }),
    extra: { lock_timeout: waits.onceMs },
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  const saying = setInterval(() => {
    // Only to tell: what fails here fails below as well.
    void buildingOf(lock).then(
      (what) => what !== null && saysWait(what),
      () => undefined,
    );
  }, saysBuildEveryMs);
  try {
    await untilLocked(lock, `gatehouse-migrate-${schema.name}`);
    // Not IF NOT EXISTS: that needs the right to create schemas even when there is nothing to create.
    const found = (await lock.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema.name])) as unknown[];
    if (found.length === 0) await lock.query(`CREATE SCHEMA "${schema.name}"`);
    const before = await ranIn(schema, lock);
    for (const untilMs = Date.now() + waits.totalMs; ; await pause(betweenTriesMs)) {
      try {
        await source.runMigrations();
        break;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === notAvailable)) throw error;
        const why = `A migration of ${schema.name} waits for a lock. ${await oldestTransaction(lock)}`;
        if (Date.now() > untilMs) throw new DatabaseRefused(`${why} End that, then migrate: nothing of it is done.`);
        saysWait(why);
      }
    }
    return (await ranIn(schema, lock)).filter((name) => !before.includes(name));
  } finally {
    clearInterval(saying);
    await lock.query('SELECT pg_advisory_unlock(hashtext($1))', [`gatehouse-migrate-${schema.name}`]);
    await lock.release();
    await source.destroy();
  }
}

async function ranIn({ name }: ServiceSchema, runner: QueryRunner): Promise<string[]> {
  const [table] = await runner.query("SELECT to_regclass($1 || '.migration') AS found", [name]);
  if (!table.found) return [];
  const rows: { name: string }[] = await runner.query(`SELECT name FROM "${name}".migration ORDER BY id`);
  return rows.map((row) => row.name);
}

/** Most likely whose lock it is. Of other roles' sessions the owner of the schemas sees no more than that they are there. */
async function oldestTransaction(runner: QueryRunner): Promise<string> {
  const [oldest] = await runner.query(
    `SELECT pid, coalesce(nullif(application_name, ''), usename) AS name, date_trunc('second', xact_start) AS since
       FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
      ORDER BY xact_start LIMIT 1`,
  );
  if (!oldest) return 'pg_locks and pg_stat_activity say who holds it.';
  return `The oldest transaction is that of ${oldest.name} (pid ${oldest.pid}), since ${oldest.since.toISOString()}.`;
}
