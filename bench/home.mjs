import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const aimMs = 300;
const originals = 100;
const drainMs = 120_000;
const hours = 24;

/** Rows that one event leaves, and the columns with its time. */
const tables = {
  'ingress.receipt': ['received_at'],
  'journal.entry': ['at'],
  'router.message': ['created_at', 'routed_at'],
  'engine.turn': ['created_at', 'ended_at', 'started_at'],
  'gateway.delivery': ['created_at', 'updated_at'],
};

/** What Home asks for. */
const questions = {
  'the latest events': '/events?limit=8',
  'requests of Verify': '/events?outcome=verification&limit=1',
  'the last hour by minute': '/statistics/messages?step=minute',
  'what needs attention': '/attention',
  'waiting jobs': '/queues',
  'the Apps': '/apps',
  'the model': '/model',
};

/**
 * Asks what Home asks, over an installation with so many events of the last day: some real ones, and copies of all rows
 * that they left.
 * @param {{events: number, rounds: number}} options
 */
export async function benchHome({ events, rounds }) {
  const gatehouse = await startGatehouse({ name: 'home', without: ['python-runner'] });
  const db = new pg.Client(gatehouse.postgres.url);
  try {
    await db.connect();
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const load = { url: app.url, secret, connections: 4, seconds: drainMs / 1_000, count: originals, bytes: 512 };
    await runLoad(load);
    await settled(db);
    const copies = Math.ceil(events / originals);
    for (const [name, times] of Object.entries(tables)) await copyRows(db, name, times, copies);
    await db.query('ANALYZE');
    /** @type {string[][]} */
    const rows = [];
    for (const [what, path] of Object.entries(questions)) {
      const took = [];
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now();
        await gatehouse.api('GET', path);
        took.push(performance.now() - began);
      }
      const sorted = took.toSorted((a, b) => a - b);
      const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
      const p50 = sorted[Math.floor(sorted.length / 2)] ?? 0;
      rows.push([what, shown(least, 0), shown(p50, 0), shown(most, 0), p50 <= aimMs ? 'yes' : 'no']);
    }
    const { rows: counted } = await db.query('SELECT count(*)::integer AS count FROM ingress.receipt');
    const head = `${counted[0]?.count} events`;
    return table([head, 'least ms', 'p50 ms', 'most ms', `p50 within ${aimMs} ms`], rows);
  } finally {
    await db.end();
    await gatehouse.close();
  }
}

/**
 * Copies each row: ids differ in the digits of their time, and times are spread over the last day.
 * @param {pg.Client} db
 * @param {string} name
 * @param {string[]} times
 * @param {number} copies
 */
async function copyRows(db, name, times, copies) {
  const { rows: columns } = await db.query(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema || '.' || table_name = $1 AND is_generated = 'NEVER'`,
    [name],
  );
  const names = columns.map((column) => column.name);
  const moved = times.filter((time) => names.includes(time));
  const at = `now() - make_interval(secs => ${hours * 3_600}::double precision * copy / ${copies + 1})`;
  // An id is its kind, 12 hex digits of its time, and what is random: of a copy, the digits are those of its time.
  const digits = `lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0')`;
  const ids = `regexp_replace(to_jsonb(t)::text, '"(evt|msg|trn|dlv)_[0-9a-f]{12}', '"\\1_' || ${digits}, 'g')`;
  const shifted = moved.map((time) => `'${time}', CASE WHEN t.${time} IS NULL THEN NULL ELSE ${at} END`).join(', ');
  await db.query(
    `INSERT INTO ${name} (${names.join(', ')})
     SELECT ${names.map((column) => `made."${column}"`).join(', ')}
       FROM ${name} t CROSS JOIN generate_series(1, $1::integer) AS copy
      CROSS JOIN LATERAL jsonb_populate_record(NULL::${name}, ${ids}::jsonb || jsonb_build_object(${shifted})) AS made ${names.includes('ended_at') ? 'WHERE t.ended_at IS NOT NULL' : ''}`,
    [copies - 1],
  );
}

/**
 * Waits until each event has its turn, and each turn its end.
 * @param {pg.Client} db
 */
async function settled(db) {
  const sql = `SELECT count(*) FILTER (WHERE ended_at IS NOT NULL)::integer AS ended FROM engine.turn`;
  for (const until = Date.now() + drainMs; Date.now() < until; await pause(500)) {
    const { rows } = await db.query(sql);
    if (rows[0]?.ended >= originals) return;
  }
  throw new Error('Turns are still under way.');
}
