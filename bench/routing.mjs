import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../scripts/launcher/postgres.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { ensureSecrets } from '../scripts/launcher/secrets.mjs';
import { serviceEnv } from '../scripts/launcher/service-env.mjs';
import { logFileOf } from '../scripts/launcher/service-process.mjs';
import { median, shown, table } from './table.mjs';

const source = (/** @type {string} */ path) => new URL(`../dist/apps/router/src/${path}`, import.meta.url).href;
const inFlight = 128;

/**
 * One router in this process with a durable Postgres: messages of an adapter's App from known senders, each in a
 * session of its own.
 * @param {{messages: number, keys: number, rounds: number}} options messages per measured rate; keys stored before the
 *   slower claim
 * @returns {Promise<string>}
 */
export async function benchRouting({ messages, keys, rounds }) {
  const dataDir = join(cacheDir, 'bench', 'routing');
  await rm(dataDir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), log: logFileOf(dataDir, 'postgres') });
  const redis = await startRedis({ dir: join(dataDir, 'redis'), log: logFileOf(dataDir, 'redis') });
  const pool = new pg.Pool({ connectionString: postgres.url });
  try {
    const router = await startRouter(dataDir, postgres.url, redis.url);
    const rates = [];
    for (const triggers of [0, 10, 200]) {
      const perSecond = [];
      for (let round = 0; round < rounds; round += 1) perSecond.push(await rate(router, pool, triggers, messages));
      rates.push([String(triggers), String(Math.ceil(triggers / 70)), shown(median(perSecond), 0)]);
    }
    const claims = [];
    await fillClaims(pool, 'small', 10_000);
    await fillClaims(pool, 'large', keys);
    await pool.query('CHECKPOINT');
    await insertClaims(pool, 'small', 10_000, 10_400);
    await insertClaims(pool, 'large', keys, keys * 1.04);
    await wearInConnection(router);
    const rows = { claim: 'claim of 64 random keys', claimAndInsert: 'the same with the rows of its messages' };
    for (const when of ['while running', 'right after a checkpoint']) {
      for (const kind of /** @type {const} */ (['claim', 'claimAndInsert'])) {
        if (when !== 'while running') await pool.query('CHECKPOINT');
        const { small, large } = await claimMs(router, kind, when === 'while running' ? 800 : 100);
        claims.push([rows[kind], when, shown(small, 2), shown(large, 2), shown(large / small, 2)]);
      }
    }
    await router.close();
    return [
      table(['triggers on the App', 'of which match', 'messages routed per second'], rates),
      '',
      `A filter of two clauses: ${shown(await filterMicros(), 2)} µs passed, ${shown(await filterMicros(false), 2)} µs refused with its reason`,
      '',
      table(
        ['statement', 'when', 'ms, 10 thousand stored', `ms, ${shown(keys / 1e6, 0)} million stored`, 'times'],
        claims,
      ),
    ].join('\n');
  } finally {
    await pool.end();
    await redis.stop();
    await postgres.stop();
  }
}

/** @param {string} dataDir @param {string} databaseUrl @param {string} redisUrl */
async function startRouter(dataDir, databaseUrl, redisUrl) {
  await import('reflect-metadata');
  const { migrateAll, Database } = await import('#libs/database');
  const { createService } = await import('#libs/service-kit');
  const { services } = await import('../scripts/launcher/services.mjs');
  await migrateAll(databaseUrl);
  const ports = Object.fromEntries(services.map(({ name }) => [name, 1]));
  const secrets = ensureSecrets(dataDir);
  Object.assign(
    process.env,
    serviceEnv({ services, ports, stores: () => ({ databaseUrl, redisUrl }), secrets, env: process.env })('router'),
    {
      LOG_LEVEL: 'error',
    },
  );
  const { env } = await import(source('env.js'));
  const { AppModule } = await import(source('app.module.js'));
  const { RoutingService } = await import(source('routing/routing.service.js'));
  const { claim } = await import(source('routing/claim.js'));
  const { claimAndInsert } = await import(source('routing/insert-rows.js'));
  const app = await createService({ name: 'router', module: AppModule.with(env), settings: env });
  await app.init();
  const routing = app.get(RoutingService, { strict: false });
  return { routing, claim, claimAndInsert, db: app.get(Database, { strict: false }), close: () => app.close() };
}

/**
 * @param {Awaited<ReturnType<typeof startRouter>>} router
 * @param {pg.Pool} pool
 * @param {number} triggers
 * @param {number} count
 */
async function rate(router, pool, triggers, count) {
  const { newId } = await import('#libs/contracts');
  const [appId, organization_id, project_id] = [newId('app'), newId('org'), newId('prj')];
  const owner = [organization_id, project_id];
  await pool.query(
    `INSERT INTO router.channel (app_id, organization_id, project_id, route_policy, session_scope,
       unknown_senders, updated_at) VALUES ($1, $2, $3, 'both', 'thread', 'open', now())`,
    [appId, ...owner],
  );
  await pool.query(
    `INSERT INTO router.workflow (project_id, id, organization_id, name, instructions, status, created_at, updated_at)
     VALUES ($2, 1, $1, 'w', '', 'active', now(), now())`,
    owner,
  );
  await pool.query(
    `INSERT INTO router.trigger (id, organization_id, project_id, app_id, workflow_id, event_types, "where", active, created_at)
     SELECT $1 || n, $2, $3, $1, 1, '[]',
            'event.sender != "nobody" && metadata.amount > ' || CASE n % 70 WHEN 1 THEN 0 ELSE 1000 + n END, true, now()
       FROM generate_series(1, $4::integer) AS n`,
    [appId, ...owner, triggers],
  );
  const jobs = Array.from({ length: count }, (_, n) => ({
    receipt_id: newId('evt'),
    received_at: new Date().toISOString(),
    organization_id,
    project_id,
    app_id: appId,
    app_kind: 'adapter',
    verified_scheme: 'hmac',
    messages: [
      {
        event_type: 'message',
        sender: `sender ${n}`,
        message: `m ${n}`,
        is_bot: false,
        dedup_key: `${n}`,
        metadata: { amount: 7 },
      },
    ],
  }));
  const queue = jobs.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const job of queue) await router.routing.route(job, 1);
    }),
  );
  const perSecond = count / ((performance.now() - began) / 1000);
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS routed FROM router.message WHERE app_id = $1 AND turns <> '[]'`,
    [appId],
  );
  if (rows[0].routed !== count) throw new Error(`${rows[0].routed} of ${count} messages were routed`);
  process.stdout.write(`  ${triggers} triggers: ${shown(perSecond, 0)}/s\n`);
  return perSecond;
}

/** @param {pg.Pool} pool @param {'small' | 'large'} name @param {number} stored */
async function fillClaims(pool, name, stored) {
  await pool.query('TRUNCATE router.claim');
  await pool.query(`CREATE TABLE router.claim_${name} (LIKE router.claim INCLUDING ALL)`);
  for (let from = 0; from < stored; from += 1_000_000) {
    await insertClaims(pool, name, from, Math.min(stored, from + 1_000_000));
  }
  await pool.query(`VACUUM ANALYZE router.claim_${name}`);
}

/** @param {pg.Pool} pool @param {'small' | 'large'} name @param {number} from @param {number} to */
async function insertClaims(pool, name, from, to) {
  await pool.query(
    `INSERT INTO router.claim_${name} (key, message_id, receipt_id, claimed_at)
     SELECT md5(n::text)::uuid, 'msg_' || md5('m' || n), 'evt_' || md5('e' || n), now()
       FROM generate_series($1::integer, $2::integer) AS n`,
    [from, to - 1],
  );
}

/**
 * Warms up the router's connection. The system maps a page of Postgres's buffers into a process at its first use. The
 * first claims of a new connection among millions of keys meet such pages, later ones do not.
 * @param {Awaited<ReturnType<typeof startRouter>>} router
 */
async function wearInConnection(router) {
  await router.db.transaction(async (/** @type {{query(sql: string): Promise<unknown>}} */ tx) => {
    for (const plan of ['seqscan', 'bitmapscan']) await tx.query(`SET LOCAL enable_${plan} = off`);
    for (const size of ['small', 'large']) await tx.query(`SELECT count(key) FROM router.claim_${size}`);
  });
  await claimMs(router, 'claim', 800);
}

/**
 * Claims new keys in the small and the large table alternately, so that other load on the machine slows down both.
 * Everything is rolled back, so every claim meets the same tables. Right after a checkpoint Postgres writes every page
 * in full at its first change; in steady state most pages have been changed since the last one (a checkpoint every 15
 * minutes, some 50,000 pages).
 * @param {Awaited<ReturnType<typeof startRouter>>} router
 * @param {'claim' | 'claimAndInsert'} kind
 * @param {number} rounds
 */
async function claimMs(router, kind, rounds) {
  const times = { small: /** @type {number[]} */ ([]), large: /** @type {number[]} */ ([]) };
  const undo = new Error('rolled back');
  for (const size of Array.from({ length: rounds }, () => /** @type {const} */ (['small', 'large'])).flat()) {
    const drafts = Array.from({ length: 64 }, (_, n) => ({
      app_id: `app_${n % 50}`,
      dedupKey: randomBytes(16).toString('hex'),
      messageId: `msg_${randomBytes(16).toString('hex')}`,
      receipt_id: `evt_${randomBytes(16).toString('hex')}`,
    }));
    await router.db
      .transaction(async (/** @type {{query(sql: string, parameters: unknown[]): Promise<unknown>}} */ tx) => {
        const there = {
          query: (/** @type {string} */ sql, /** @type {unknown[]} */ parameters) =>
            tx.query(sql.replaceAll('router.claim', `router.claim_${size}`), parameters),
        };
        const rows = rowsOf(drafts);
        const began = performance.now();
        if (kind === 'claim') await router.claim(there, drafts);
        else await router.claimAndInsert(there, drafts, rows, false);
        times[size].push(performance.now() - began);
        throw undo;
      })
      .catch((/** @type {unknown} */ error) => {
        if (error !== undo) throw error;
      });
  }
  return { small: median(times.small), large: median(times.large) };
}

/**
 * A message, a run and a turn for each draft.
 * @param {{app_id: string, messageId: string, receipt_id: string}[]} drafts
 */
function rowsOf(drafts) {
  const created_at = new Date();
  const message = { event_type: 'message_received', sender: 'ada', message: 'x'.repeat(1_000), is_bot: false };
  const rows = drafts.map(({ app_id, messageId, receipt_id }) => {
    const owner = { organization_id: 'org_bench', project_id: 'prj_bench', receipt_id, created_at };
    const [run_id, id] = [`run_${messageId}`, `trn_${messageId}`];
    const input = { message, verified: true, instructions: 'reply: hi', reply: null, trust: 'builtin' };
    const routed = { outcome: 'routed', reason: null, verdicts: [], unlisted_verdicts: 0 };
    const turn = { epoch: 0, state: 'open', cancel_requested: false, woken_at: created_at };
    return {
      message: { ...owner, id: messageId, app_id, app_kind: 'builtin', verified: true, message, ...routed },
      run: { ...owner, id: run_id, workflow_id: 1, message_id: messageId, replay: false, state: 'queued' },
      turn: { ...owner, ...turn, id, app_id, run_id, agent_id: null, message_id: messageId, input },
    };
  });
  return {
    messages: rows.map((row) => row.message),
    runs: rows.map((row) => row.run),
    turns: rows.map((row) => row.turn),
  };
}

async function filterMicros(passing = true) {
  const { compileFilter } = await import(source('workflows/filter.js'));
  const { filter } = compileFilter(`event.sender == "ada" && metadata.amount > ${passing ? 10 : 1_000}`);
  const input = {
    event: { type: 'paid', sender: 'ada', message: 'x'.repeat(1_000), thread_id: '', is_dm: false, verified: true },
    contact: { id: 'con_1', name: 'Ada', status: 'known' },
    metadata: { amount: 150, tags: ['x'], repo: { name: 'r' } },
  };
  const rounds = 200_000;
  for (let n = 0; n < rounds; n += 1) filter.evaluate(input);
  const began = performance.now();
  for (let n = 0; n < rounds; n += 1) filter.evaluate(input);
  return ((performance.now() - began) / rounds) * 1_000;
}
