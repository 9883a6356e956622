import { testDatabase, until } from '#libs/testing';
import pg from 'pg';
import { openSink, type Sink } from '../system/sink.js';
import { startSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { pgbouncer, type Pooler, startPooler } from './pgbouncer.js';

if (!pgbouncer && process.env['CI']) throw new Error('there is no pgbouncer, and CI has to try it');

(pgbouncer ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  let pooler: Pooler;
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    const database = await testDatabase();
    pooler = await startPooler(database.url);
    // It keeps its connections to a database until it ends.
    const drop = (): Promise<void> => pooler.stop().then(database.drop);
    const given = { database: { ...database, drop } };
    system = await startSystem({ DATABASE_POOL: '6' }, { pooled: pooler.through, given });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
  });
  afterAll(async () => {
    await system?.stop();
    await sink?.close();
  });

  it('messages lead to replies, with and without keys, many at a time', async () => {
    const tasks = Array.from({ length: 40 }, (_, index) => `task ${index}`);
    const sent = await Promise.all(
      tasks.map((task, index) =>
        post(system.webhookUrl, { task }, index % 2 === 0 ? { 'idempotency-key': `key-${index}` } : {}),
      ),
    );
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
    await until('each has its reply', () => sent.every(({ id }) => sink.repliesTo(id).length === 1));
    const repeated = await post(system.webhookUrl, { task: 'task 0' }, { 'idempotency-key': 'key-0' });
    expect(repeated.id).toBe(sent[0]?.id);
  });

  it('the pooler gets nothing that it refuses, and no prepared statement goes astray', () => {
    expect(pooler.log()).not.toMatch(/unsupported startup parameter|prepared statement .* (does not|already) exist/);
    expect(system.logs()).not.toMatch(/prepared statement|"level":(50|60)/);
  });

  it('the pooler holds no session lock, and uses few connections for many', async () => {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    const read = async (): Promise<{ locks: number; most: number } | undefined> => {
      const { rows } = await client.query<{ locks: number; most: number }>(
        `SELECT (SELECT count(*)::int FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                  WHERE d.datname = current_database() AND locktype = 'advisory' AND granted) AS locks,
           (SELECT max(n)::int FROM (SELECT count(*) AS n FROM pg_stat_activity
             WHERE datname = current_database() AND usename LIKE 'gatehouse%' GROUP BY usename) each) AS most`,
      );
      return rows[0];
    };
    const { most } = await until('no lock is held', async () => {
      const now = await read();
      return now?.locks === 0 && now;
    }).finally(() => client.end());
    expect(most).toBeLessThanOrEqual(2);
  });
});
