import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { reportOf } from './delivery.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
/** Not involved, but they would slow down a busy machine. */
const without = ['python-runner', 'mcp-registry'];
const drainMs = 300_000;
/** So soon that a round ends with all receipts packed, though it is minutes by default. */
const packAfterMs = 1_000;
/** What is less is not shown in a row of its own. */
const leastBytes = 8;
const languages = ['english', 'german', 'french', 'spanish'];

/** @typedef {{heap: number, indexes: number, toast: number}} Sizes */

/**
 * What a message leaves in Postgres, table by table and column by column. Each message has words of its own, since one
 * letter repeated would compress to nothing. Between rounds is a vacuum, as autovacuum has it once an installation has
 * run for a while: the versions of rows that it frees are space for the next round's. Once as messages end, and once with
 * what is packed some time after.
 * @param {{messages: number, rounds: number, sizes: number[]}} options
 */
export async function benchKept(options) {
  return [await benchOnce(options, false), await benchOnce(options, true)].join('\n');
}

/** @param {{messages: number, rounds: number, sizes: number[]}} options @param {boolean} packed */
async function benchOnce({ messages, rounds, sizes }, packed) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  const env = { RECEIPT_PACK_AFTER_MS: packed ? String(packAfterMs) : '0' };
  const gatehouse = await startGatehouse({ name: 'kept', without, env });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();
  try {
    await db.query('ALTER SYSTEM SET autovacuum = off');
    await db.query('SELECT pg_reload_conf()');
    const app = await signedApp(gatehouse, { secret, replyAddress: `${sinkUrl}/replies` });
    const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
    const prose = await proseOf(languages);
    const ways = { 'a workflow': { workflow_id: workflow.id }, 'a conversation': {} };
    /** @param {object} fields @param {number} bytes @param {number} count */
    async function send(fields, bytes, count) {
      await fetch(`${sinkUrl}/clear`, { method: 'POST' });
      const load = { url: app.url, secret, connections: 16, fields, bytes, prose, count, seconds: 300 };
      const { accepted } = await runLoad(load);
      for (const until = Date.now() + drainMs; (await reportOf(sinkUrl)).receipts < accepted; await pause(200)) {
        if (Date.now() > until) throw new Error(`not all of ${accepted} messages were answered`);
      }
      // The last results are stored after their receiver has answered.
      await pause(1_500);
      for (const until = Date.now() + drainMs; packed && (await unpacked(db)) > 0; await pause(200)) {
        if (Date.now() > until) throw new Error('not all receipts were packed');
      }
      const written = await walBytes(db);
      await db.query('VACUUM (ANALYZE)');
      return written;
    }

    const out = [];
    for (const bytes of sizes) {
      for (const [way, fields] of Object.entries(ways)) {
        await send(fields, bytes, messages);
        const before = await sizesOf(db);
        const { rows: since } = await db.query('SELECT now() AS at');
        let wal = 0;
        for (let round = 0; round < rounds; round += 1) {
          const from = await walBytes(db);
          wal += (await send(fields, bytes, messages)) - from;
        }
        const title = `${bytes / 1024} KB to ${way}${packed ? ', packed' : ''}`;
        const kept = difference(before, await sizesOf(db), messages * rounds);
        out.push(keptTable(title, kept), '', await columnsTable(db, since[0].at, messages * rounds), '');
        const logged = `${shown(wal / messages / rounds, 0)} of WAL, with what an idle installation writes`;
        out.push(logged, '');
        process.stdout.write(`  ${title}: ${shown(allOf(kept), 0)} bytes, ${logged}\n`);
      }
    }
    return out.join('\n');
  } finally {
    await db.end();
    await gatehouse.close();
    await sink.stop();
  }
}

/** What customers ask, and are shown, in several languages. @param {string[]} names */
async function proseOf(names) {
  const files = await Promise.all(
    names.map((name) => readFile(new URL(`./knowledge/${name}.json`, import.meta.url), 'utf8')),
  );
  return files
    .flatMap((text) => JSON.parse(text).documents.map((/** @type {{text: string}} */ document) => document.text))
    .join(' ');
}

/** Receipts that are still to be packed. @param {pg.Client} db */
async function unpacked(db) {
  const { rows } = await db.query(
    `SELECT count(*)::integer AS left FROM ingress.receipt WHERE packed_bytes IS NULL AND octet_length(body) > 0
        AND received_at > coalesce((SELECT swept_to FROM ingress.sweep WHERE id = 3), '-infinity')`,
  );
  return rows[0].left;
}

/** @param {pg.Client} db */
async function walBytes(db) {
  const { rows } = await db.query(`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`);
  return rows[0].bytes;
}

/** Bytes of each table with its partitions. @param {pg.Client} db @returns {Promise<Record<string, Sizes>>} */
async function sizesOf(db) {
  const { rows } = await db.query(
    `SELECT n.nspname || '.' || regexp_replace(c.relname, '_([0-9]{8}|default)$', '') AS name,
            sum(pg_relation_size(c.oid))::float8 AS heap, sum(pg_indexes_size(c.oid))::float8 AS indexes,
            sum(CASE WHEN c.reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(c.reltoastrelid) END)::float8 AS toast
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, ...sizes }) => [name, sizes]));
}

/** @param {Record<string, Sizes>} before @param {Record<string, Sizes>} after @param {number} count @returns {Record<string, Sizes>} */
function difference(before, after, count) {
  return Object.fromEntries(
    Object.entries(after).map(([name, { heap, indexes, toast }]) => {
      const was = before[name] ?? { heap: 0, indexes: 0, toast: 0 };
      const sizes = {
        heap: (heap - was.heap) / count,
        indexes: (indexes - was.indexes) / count,
        toast: (toast - was.toast) / count,
      };
      return [name, sizes];
    }),
  );
}

/** @param {Sizes} sizes */
const sum = ({ heap, indexes, toast }) => heap + indexes + toast;
/** @param {Record<string, Sizes>} kept */
const allOf = (kept) => Object.values(kept).reduce((all, sizes) => all + sum(sizes), 0);

/** @param {string} title @param {Record<string, Sizes>} kept */
function keptTable(title, kept) {
  const row = (/** @type {string} */ name, /** @type {Sizes} */ sizes) => [
    name,
    ...[sizes.heap, sizes.indexes, sizes.toast, sum(sizes)].map((bytes) => shown(bytes, 0)),
  ];
  const named = Object.entries(kept)
    .filter(([, sizes]) => sum(sizes) >= leastBytes)
    .sort(([, a], [, b]) => sum(b) - sum(a));
  const added = Object.values(kept).reduce(
    (all, sizes) => ({
      heap: all.heap + sizes.heap,
      indexes: all.indexes + sizes.indexes,
      toast: all.toast + sizes.toast,
    }),
    { heap: 0, indexes: 0, toast: 0 },
  );
  return table(
    [title, 'heap', 'indexes', 'TOAST', 'all'],
    [...named.map(([name, sizes]) => row(name, sizes)), row('all', added)],
  );
}

/** Tables that a message has rows in, and the column with the time of a row. */
const timed = {
  'journal.entry': 'at',
  'gateway.delivery': 'created_at',
  'engine.turn': 'created_at',
  'engine.step': 'created_at',
  'router.claim': 'claimed_at',
  'router.message': 'created_at',
  'ingress.receipt': 'received_at',
};

/** Which columns the rows' bytes are in. @param {pg.Client} db @param {Date} since @param {number} count messages */
async function columnsTable(db, since, count) {
  const rows = [];
  for (const [name, time] of Object.entries(timed)) {
    const { rows: columns } = await db.query(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [name],
    );
    const sizes = columns.map(
      ({ name: column }) => `coalesce(sum(pg_column_size("${column}")), 0)::float8 AS "${column}"`,
    );
    const { rows: sums } = await db.query(
      `SELECT count(*)::float8 AS " rows", ${sizes.join(', ')} FROM ${name} WHERE "${time}" >= $1`,
      [since],
    );
    const { ' rows': stored, ...bytes } = sums[0];
    const shownColumns = Object.entries(bytes)
      .map(([column, all]) => [column, Number(all) / count])
      .filter(([, each]) => Number(each) >= leastBytes)
      .sort(([, a], [, b]) => Number(b) - Number(a))
      .map(([column, each]) => `${column} ${shown(Number(each), 0)}`);
    rows.push([name, shown(stored / count, 2), shownColumns.join(', ')]);
  }
  return table(['columns', 'rows', 'bytes a message, without headers of rows'], rows);
}
