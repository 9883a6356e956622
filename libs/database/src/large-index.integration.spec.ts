import { emptyTestDatabase, type TestDatabase, until } from '#libs/testing';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildingOf, buildLargeIndex } from './large-index.js';
import { migrate, type ServiceSchema } from './service-schema.js';

class Table1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE large.row (id integer)');
    await runner.query('INSERT INTO large.row SELECT generate_series(1, 1000)');
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}
const index = { name: 'large.row_id', on: 'large.row (id)' };
class Indexed1000000000001 implements MigrationInterface {
  readonly transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, index);
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}
const before: ServiceSchema = { name: 'large', entities: [], migrations: [Table1000000000000] };
const schema: ServiceSchema = { ...before, migrations: [...before.migrations, Indexed1000000000001] };
const indexed = ['Indexed1000000000001'];

let database: TestDatabase;
/** Has written to the table and not committed, so that a build waits for it. */
let older: pg.Client;
let other: pg.Client;

const connected = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};
beforeEach(async () => {
  database = await emptyTestDatabase();
  await migrate(before, database.url);
  [older, other] = await Promise.all([connected(), connected()]);
  await older.query('BEGIN');
  await older.query('INSERT INTO large.row VALUES (0)');
});
afterEach(async () => {
  await Promise.all([older.end(), other.end()]);
  await database.drop();
});

/** @returns the process of Postgres that builds the index, once it waits for the older transaction */
async function builder(): Promise<number> {
  const sql = `SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase LIKE 'waiting%'`;
  return until('the build waits', async () => (await other.query<{ pid: number }>(sql)).rows[0]?.pid);
}
async function built(): Promise<{ valid: boolean; id: number } | undefined> {
  const sql = 'SELECT indisvalid AS valid, indexrelid::int AS id FROM pg_index WHERE indexrelid = to_regclass($1)';
  return (await other.query<{ valid: boolean; id: number }>(sql, [index.name])).rows[0];
}
/** What a waiting migration says. */
async function reported(): Promise<string | null> {
  return buildingOf({ query: async (sql: string, values?: unknown[]) => (await other.query(sql, values)).rows });
}
async function olderPid(): Promise<number | undefined> {
  return (await older.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}
/** How many have asked for a lock last. */
async function askers(): Promise<number> {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock%'`;
  return (await other.query(sql)).rowCount ?? 0;
}

describe('a large index', () => {
  it('is built while its table is written, and is valid once older transactions have ended', async () => {
    expect(await reported()).toBeNull();
    const done = migrate(schema, database.url);
    await builder();
    const waits = new RegExp(
      `^The index large.row_id is built, .* waits for the transaction of .*pid ${await olderPid()}, since 20`,
    );
    expect(await reported()).toMatch(waits);
    await other.query(`SET statement_timeout = '2s'`);
    await other.query('INSERT INTO large.row VALUES (1001)');
    await other.query('UPDATE large.row SET id = -1 WHERE id = 1');
    await other.query('DELETE FROM large.row WHERE id = 2');
    await older.query('COMMIT');
    expect(await done).toEqual(indexed);
    expect(await built()).toMatchObject({ valid: true });
    await other.query('SET enable_seqscan = off');
    const { rows } = await other.query('SELECT id FROM large.row WHERE id < 3 OR id > 1000 ORDER BY id');
    expect(rows).toEqual([{ id: -1 }, { id: 0 }, { id: 1001 }]);
  });

  it('whose build was killed is built anew by the next process that migrates, without waiting for a lock in vain', async () => {
    const killed = migrate(schema, database.url, { onceMs: 50, totalMs: 60_000 });
    const pid = await builder();
    const rejected = expect(killed).rejects.toThrow(/terminat/);
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await rejected;
    const left = await built();
    expect(left).toMatchObject({ valid: false });
    const next = migrate(schema, database.url, { onceMs: 50, totalMs: 1 });
    // It drops what is left, which waits for the older transaction as well.
    await until('it waits', async () => {
      const { rowCount } = await other.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'DROP INDEX CONC%'
        AND datname = current_database() AND wait_event_type = 'Lock'`);
      return rowCount === 1;
    });
    const waits = new RegExp(
      `^The index large.row_id is dropped, .* waits for the transaction of .*pid ${await olderPid()}, since 20`,
    );
    expect(await reported()).toMatch(waits);
    await older.query('COMMIT');
    expect(await next).toEqual(indexed);
    expect(await built()).toMatchObject({ valid: true });
    expect((await built())?.id).not.toBe(left?.id);
    expect(await migrate(schema, database.url)).toEqual([]);
  });

  it('is built once while other processes wait to migrate, for whom the build does not wait', async () => {
    const first = migrate(schema, database.url);
    await builder();
    const others = [migrate(schema, database.url), migrate(schema, database.url)];
    await until('they wait', async () => (await askers()) >= 2);
    await older.query('COMMIT');
    expect(await first).toEqual(indexed);
    expect(await Promise.all(others)).toEqual([[], []]);
  });

  it('that Postgres still builds for a client that is gone is kept, not dropped and built again', async () => {
    const gone = await connected();
    const runner = { query: async (sql: string, values?: unknown[]) => (await gone.query(sql, values)).rows };
    const orphan = buildLargeIndex(runner, index).catch((error: unknown) => error);
    await builder();
    const begun = await built();
    (gone as pg.Client & { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    const done = migrate(schema, database.url);
    await until('it waits', async () => (await askers()) >= 1);
    await older.query('COMMIT');
    expect(await done).toEqual(indexed);
    expect(await built()).toEqual({ valid: true, id: begun?.id });
    expect(await orphan).toBeInstanceOf(Error);
  });
});
