import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const apartMs = 35;
/** Sessions with concurrent messages, and messages of each. */
const atOnce = 5;
const messagesOf = 25;
const drainMs = 60_000;

/**
 * Messages of many sessions, 35 ms apart within each by the generator's own schedule. Counts those that were handled
 * after one that was acknowledged later.
 * @param {{messages: number}} options
 */
export async function benchOrder({ messages }) {
  const gatehouse = await startGatehouse({ name: 'order', without: ['python-runner'] });
  const client = new pg.Client({ connectionString: gatehouse.postgres.url });
  await client.connect();
  const rows = [];
  try {
    for (const mode of ['queue', 'collect']) {
      const app = await signedApp(gatehouse, { secret, replyAddress: null, name: mode });
      await gatehouse.api('PUT', `/channels/${app.appId}`, { inbox_mode: mode });
      const rate = (atOnce * 1_000) / apartMs;
      const load = { url: app.url, secret, connections: 64, bytes: 512, keepIds: true };
      await runLoad({ ...load, rate: 50, seconds: 4 });
      const threads = { atOnce, messagesOf };
      const sent = await runLoad({ ...load, rate, count: messages, seconds: messages / rate + 30, threads });
      const receiptOf = new Map(sent.ids.map(([id, n]) => [n, id]));
      const run = sent.ids.map(([id]) => id).sort();
      /** @type {{session: string, numbers: number[], stored_ms: number, receipt_id: string}[]} */
      let turns = [];
      const handled = () => turns.reduce((sum, { numbers }) => sum + numbers.length, 0);
      for (const until = Date.now() + drainMs; Date.now() < until && handled() < run.length; await pause(500)) {
        turns = (
          await client.query(
            `SELECT t.session_id AS session, extract(epoch FROM t.created_at) * 1000 AS stored_ms, t.receipt_id,
                    ARRAY(SELECT (m -> 'metadata' -> 'payload' ->> 'n')::integer
                            FROM jsonb_array_elements(coalesce(t.input -> 'earlier', '[]') || jsonb_build_array(t.input -> 'message')) AS m) AS numbers
               FROM engine.turn t WHERE t.app_id = $1 AND t.state = 'succeeded' AND t.receipt_id BETWEEN $2 AND $3
              ORDER BY t.session_id, t.epoch`,
            [app.appId, run[0], run.at(-1)],
          )
        ).rows;
      }
      rows.push([mode, sent.ids.length, ...measured(turns, receiptOf)]);
      process.stdout.write(`  ${JSON.stringify(rows.at(-1))}\n`);
    }
  } finally {
    await client.end();
    await gatehouse.close();
  }
  return table(
    ['inbox', 'acknowledged', 'sessions', 'handled', 'turns', 'inversions', 'stored p50 ms', 'stored p99 ms'],
    rows,
  );
}

/**
 * @param {{session: string, numbers: number[], stored_ms: number, receipt_id: string}[]} turns in the order of their
 *   start
 * @param {Map<number, string>} receiptOf
 */
function measured(turns, receiptOf) {
  const sessions = Map.groupBy(turns, ({ session }) => session);
  let inversions = 0;
  for (const own of sessions.values()) {
    let last = '';
    for (const id of own.flatMap(({ numbers }) => numbers.map((n) => receiptOf.get(n) ?? ''))) {
      if (id < last) inversions += 1;
      else last = id;
    }
  }
  const handled = turns.reduce((sum, { numbers }) => sum + numbers.length, 0);
  const took = turns
    .map(({ stored_ms: storedMs, receipt_id: id }) => Number(storedMs) - Number.parseInt(id.slice(4, 16), 16))
    .sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => shown(took[Math.floor((took.length - 1) * share)] ?? 0, 0);
  return [sessions.size, handled, turns.length, inversions, at(0.5), at(0.99)];
}
