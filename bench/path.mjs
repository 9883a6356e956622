import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { askRedis } from '../scripts/launcher/ask-redis.mjs';
import { services } from '../scripts/launcher/services.mjs';
import { costs } from './costs.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
/** An idle backend withholds its counters for up to 10 s. */
const publishedMs = 12_000;
/** Long enough that neither counters nor short-lived caches still reflect earlier work. */
const settledMs = 75_000;
/** Not involved, but it would slow down a busy machine. */
const without = ['python-runner'];
const queues = ['inbound', 'route', 'turns', 'outbound'];

/** BullMQ counts the jobs that were added to a queue. @param {string} redisUrl */
async function jobsAdded(redisUrl) {
  const counts = await askRedis(
    redisUrl,
    queues.map((queue) => ['GET', `{gatehouse:q:${queue}}:${queue}:id`]),
  );
  return counts.reduce((sum, count) => sum + Number(count || 0), 0);
}

/**
 * Autovacuum depends on a table's row count, runs in transactions that are counted too, and finds small tables new
 * every minute. So it runs before the window and is off within it.
 * @param {string} databaseUrl
 */
async function tidy(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('ALTER SYSTEM SET autovacuum = off');
  await client.query('SELECT pg_reload_conf()');
  await client.query('VACUUM (ANALYZE)');
  await client.end();
}

/** @param {string} databaseUrl @returns {Promise<{wal: number, vacuums: number, tables: Record<string, number>}>} inserts and updates by table */
async function written(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `SELECT schemaname || '.' || regexp_replace(relname, '_[0-9]{8}$', '') AS name, sum(n_tup_ins + n_tup_upd)::float8 AS rows
       FROM pg_stat_user_tables GROUP BY 1`,
  );
  const { rows: wal } = await client.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
  const { rows: vacuums } = await client.query(
    'SELECT sum(autovacuum_count + autoanalyze_count)::float8 AS runs FROM pg_stat_all_tables',
  );
  await client.end();
  return {
    vacuums: vacuums[0].runs,
    wal: Number(wal[0].bytes),
    tables: Object.fromEntries(rows.map(({ name, rows: count }) => [name, count])),
  };
}

/**
 * What one message costs from the webhook to its delivered reply, at several rates. What the installation does anyway,
 * as measured in an idle window of the same length, is subtracted.
 * @param {{seconds: number, rates: number[]}} options
 */
export async function benchPath({ seconds, rates }) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  const gatehouse = await startGatehouse({ name: 'path', without });
  const names = services.map((service) => service.name).filter((name) => !without.includes(name));
  const pids = {
    ...Object.fromEntries(names.map((name) => [name, gatehouse.pidOf(name)])),
    postgres: gatehouse.postgres.pid,
    redis: gatehouse.redis.pid,
  };
  const stores = { databaseUrl: gatehouse.postgres.url, redisUrl: gatehouse.redis.url };
  const read = async () => ({
    ...(await costs(pids, stores)),
    ...(await written(stores.databaseUrl)),
    jobs: await jobsAdded(stores.redisUrl),
  });
  /** The counters' difference over a window of fixed length. @param {() => Promise<any>} work */
  async function during(work) {
    await tidy(stores.databaseUrl);
    const before = await read();
    const endsAt = Date.now() + seconds * 1_000 + publishedMs;
    const gave = await work();
    await pause(Math.max(0, endsAt - Date.now()));
    const after = await read();
    const minus = (/** @type {Record<string, number>} */ a, /** @type {Record<string, number>} */ b) =>
      Object.fromEntries(Object.entries(a).map(([name, value]) => [name, value - (b[name] ?? 0)]));
    return {
      gave,
      one: {
        jobs: after.jobs - before.jobs,
        commands: after.redisCommands - before.redisCommands,
        commits: after.commits - before.commits,
        wal: after.wal - before.wal,
        vacuums: after.vacuums - before.vacuums,
      },
      tables: minus(after.tables, before.tables),
      cpu: minus(after.cpuMs, before.cpuMs),
    };
  }

  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: `${sinkUrl}/replies` });
    const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
    const load = { url: app.url, secret, connections: 64, bytes: 1024 };
    const ways = { workflow: { workflow_id: workflow.id }, 'Chief of Staff': {} };
    for (const fields of Object.values(ways)) await runLoad({ ...load, fields, seconds: 6, rate: 100 });
    await pause(settledMs);
    const idle = await during(async () => undefined);

    const rows = [];
    const cpus = [];
    const where = [];
    for (const rate of rates) {
      for (const [way, fields] of Object.entries(ways)) {
        if (way !== 'workflow' && rate !== rates[0]) continue;
        await fetch(`${sinkUrl}/clear`, { method: 'POST' });
        const { gave, one, tables, cpu } = await during(() => runLoad({ ...load, fields, seconds, rate }));
        const out = await (await fetch(`${sinkUrl}/report`)).json();
        const per = (/** @type {number} */ busy, /** @type {number} */ quiet, digits = 1) =>
          shown((busy - quiet) / gave.accepted, digits);
        const perTable = Object.entries(tables).map(([name, count]) => ({
          name,
          count: (count - (idle.tables[name] ?? 0)) / gave.accepted,
        }));
        rows.push([
          `${rate}/s, ${way}`,
          gave.accepted,
          out.receipts,
          per(one.jobs, idle.one.jobs, 2),
          per(one.commands, idle.one.commands, 0),
          per(one.commits, idle.one.commits, 2),
          shown(
            perTable.reduce((sum, { count }) => sum + count, 0),
            2,
          ),
          per(one.wal, idle.one.wal, 0),
          per(
            Object.values(cpu).reduce((sum, ms) => sum + ms, 0),
            Object.values(idle.cpu).reduce((sum, ms) => sum + ms, 0),
          ),
          shown(out.p50, 0),
          shown(out.p99, 0),
        ]);
        cpus.push([`${rate}/s, ${way}`, ...Object.keys(pids).map((name) => per(cpu[name] ?? 0, idle.cpu[name] ?? 0))]);
        const written = perTable.filter(({ count }) => Math.abs(count) > 0.004).sort((a, b) => b.count - a.count);
        where.push(
          `${rate}/s, ${way}: ${written.map(({ name, count }) => `${name} ${shown(count, 2)}`).join(', ')}; autovacuum ran ${one.vacuums} times`,
        );
        process.stdout.write(`  ${JSON.stringify(rows.at(-1))}\n`);
      }
    }
    const per = ['jobs', 'Redis commands', 'commits', 'rows', 'WAL bytes', 'CPU ms', 'p50 ms', 'p99 ms'];
    return [
      table(['per message', 'accepted', 'delivered', ...per], rows),
      '',
      table(['CPU ms a message', ...Object.keys(pids)], cpus),
      '',
      ...where,
    ].join('\n');
  } finally {
    await gatehouse.close();
    await sink.stop();
  }
}
