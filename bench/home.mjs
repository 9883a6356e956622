import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { services } from '../scripts/launcher/services.mjs';
import { copyEvents } from './event-copies.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const aimMs = 300;
const originals = 100;
const without = ['python-runner'];
const drainMs = 120_000;
const countMs = 300_000;
const awayHours = 12;

/** What Home asks for. */
const questions = {
  'the latest events': '/events?limit=8',
  'requests of Verify': '/events?outcome=verification&limit=1',
  'since you last looked': `/statistics/states?since=${new Date(Date.now() - awayHours * 3_600_000).toISOString()}`,
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
  const gatehouse = await startGatehouse({ name: 'home', without });
  const db = new pg.Client(gatehouse.postgres.url);
  try {
    await db.connect();
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const load = { url: app.url, secret, connections: 4, seconds: drainMs / 1_000, count: originals, bytes: 512 };
    await runLoad(load);
    await settled(db);
    const running = services.map(({ name }) => name).filter((name) => !without.includes(name));
    await gatehouse.stop(running);
    await copyEvents(db, Math.ceil(events / originals));
    await gatehouse.start(running);
    await counted(db);
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
    const { rows: all } = await db.query('SELECT count(*)::integer AS count FROM ingress.receipt');
    const head = `${all[0]?.count} events`;
    return table([head, 'least ms', 'p50 ms', 'most ms', `p50 within ${aimMs} ms`], rows);
  } finally {
    await db.end();
    await gatehouse.close();
  }
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
  throw new Error('Turns are still in flight.');
}

/**
 * Waits until the services have counted the day that was copied, which they do an hour at a time.
 * @param {pg.Client} db
 */
async function counted(db) {
  const sql = `SELECT counted_to > now() - interval '5 minutes' AS done FROM journal.statistic_mark`;
  for (const until = Date.now() + countMs; Date.now() < until; await pause(500)) {
    const { rows } = await db.query(sql);
    if (rows[0]?.done) return;
  }
  throw new Error('The events are still being counted.');
}
