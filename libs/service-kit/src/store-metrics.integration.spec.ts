import { Database, dataSourceOptions, type ServiceSchema } from '#libs/database';
import { JobClient } from '#libs/queue';
import { type RedisDatabase, takeRedisDatabase, type TestDatabase, testDatabase, testPool, until } from '#libs/testing';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { Registry } from 'prom-client';
import { storeMetrics } from './store-metrics.js';

const schema: ServiceSchema = { name: 'router', entities: [], migrations: [] };
/** More than any test needs: the server is shared. */
const limit = 64 * 1024 ** 3;

describe('what is used of the stores', () => {
  let stored: TestDatabase;
  let redisDatabase: RedisDatabase;
  let database: Database;
  let jobs: JobClient;
  let admin: pg.Pool;
  let redis: Redis;
  const registry = new Registry();
  const slot = `test_${process.pid}`;

  beforeAll(async () => {
    [stored, redisDatabase] = [await testDatabase(), await takeRedisDatabase()];
    // As the router connects: with no privilege on the server.
    const options = { url: stored.urlOf('router'), poolSize: 2, applicationName: 'test' };
    database = await new Database(dataSourceOptions(schema, options)).initialize();
    admin = testPool(stored.url);
    jobs = new JobClient(redisDatabase.url);
    redis = new Redis(redisDatabase.url);
    storeMetrics(registry, database, jobs);
  });
  afterAll(async () => {
    await redis.config('SET', 'maxmemory', '0');
    redis.disconnect();
    await admin.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1', [
      slot,
    ]);
    await admin.end();
    await jobs.close();
    if (database.isInitialized) await database.destroy();
    await redisDatabase.release();
    await stored.drop();
  });

  /** The value of a metric's line; null: there is no such line. */
  const read = async (line: string): Promise<number | null> => {
    const found = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
    return found === undefined ? null : Number(found.slice(line.length + 1));
  };
  const bytes = (name: string): Promise<number | null> => read(`gatehouse_${name}_bytes`);

  it('counts the connections of all clients beside what the server allows', async () => {
    const used = 'gatehouse_postgres_server_connections{state="used"}';
    const held = await Promise.all(Array.from({ length: 5 }, () => admin.connect()));
    try {
      expect(await read(used)).toBeGreaterThanOrEqual(5 + 1);
      const { rows } = await admin.query<{ most: number }>(
        `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`,
      );
      expect(await read('gatehouse_postgres_server_connections{state="most"}')).toBe(rows[0]?.most);
    } finally {
      for (const client of held) client.release();
    }
  });

  it('grows with the database, and with the log that a slot without a reader keeps', async () => {
    await admin.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
    const [size, kept] = [(await bytes('postgres_database')) ?? 0, (await bytes('postgres_wal_kept')) ?? NaN];
    await admin.query(`CREATE TABLE public.written AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 5000)`);
    expect(await bytes('postgres_database')).toBeGreaterThan(size + 4_000_000);
    // Commits are asynchronous here: the log is written a moment later.
    await until('the log is written', async () => ((await bytes('postgres_wal_kept')) ?? 0) > kept + 4_000_000);
  });

  it('has the memory of Redis only where that has a limit', async () => {
    const [used, most] = ['used', 'most'].map((state) => `gatehouse_redis_memory_bytes{state="${state}"}`) as [
      string,
      string,
    ];
    expect(await read(used)).toBeNull();
    await redis.config('SET', 'maxmemory', String(limit));
    expect(await read(most)).toBe(limit);
    expect(await read(used)).toBeGreaterThan(100_000);
  });

  it('has no values of a store that does not answer', async () => {
    await database.destroy();
    expect(await bytes('postgres_database')).toBeNull();
    expect(await read('gatehouse_postgres_server_connections{state="used"}')).toBeNull();
    expect(await read(`gatehouse_redis_memory_bytes{state="most"}`)).toBe(limit);
  });
});
