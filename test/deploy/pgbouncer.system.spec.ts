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
    const somewhere = await testDatabase();
    pooler = await startPooler(somewhere.url);
    await somewhere.drop();
    system = await startSystem({ DATABASE_POOL: '6' }, { pooled: pooler.through });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
  });
  afterAll(async () => {
    await system?.stop();
    await pooler?.stop();
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
    const again = await post(system.webhookUrl, { task: 'task 0' }, { 'idempotency-key': 'key-0' });
    expect(again.id).toBe(sent[0]?.id);
  });

  it('the pooler gets nothing that it refuses, and no prepared statement goes astray', () => {
    expect(pooler.log()).not.toMatch(/unsupported startup parameter|prepared statement .* (does not|already) exist/);
    expect(system.logs()).not.toMatch(/prepared statement|"level":(50|60)/);
  });

  it('the pooler holds no session lock, and uses few connections for many', async () => {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ locks: number; most: number }>(
      `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND granted) AS locks,
         (SELECT max(n)::int FROM (SELECT count(*) AS n FROM pg_stat_activity
           WHERE datname = current_database() AND usename LIKE 'gatehouse%' GROUP BY usename) each) AS most`,
    );
    await client.end();
    expect(rows[0]?.most).toBeLessThanOrEqual(2);
    expect(rows[0]?.locks).toBe(0);
  });
});
