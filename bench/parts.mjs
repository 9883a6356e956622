import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { migrateAll } from '#libs/database';
import { startPostgres } from '../scripts/launcher/postgres.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { logFileOf } from '../scripts/launcher/service-process.mjs';
import { CopyEncoder } from '../dist/apps/webhook-ingress/src/path/receipts/copy-encoding.js';
import { writeReceipts } from '../dist/apps/webhook-ingress/src/path/receipts/write-receipts.js';
import { hmac } from '../dist/libs/adapter-sdk/src/signature-schemes/one-shot-hmac.js';
import { verifySignature } from '../dist/apps/webhook-ingress/src/path/webhook/verify-signature.js';
import { median, shown, table } from './table.mjs';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({ data: randomBytes(507).toString('hex') });
const inBatch = 32;

/**
 * Compares our own code with what could replace it, by CPU, in alternating rounds.
 * @param {{rounds: number, checks: number, batches: number}} options signature checks, and batches of receipts, in a
 *   round
 */
export async function benchParts({ rounds, checks, batches }) {
  const rows = [
    row('verifying Standard Webhooks', 'standardwebhooks', checks, await signatures(rounds, checks)),
    row('HMAC-SHA256 of 1 KB', 'createHmac', checks, await hmacs(rounds, checks)),
    row('a receipt, COPY in binary', 'INSERT from unnest', batches * inBatch, await receipts(rounds, batches)),
  ];
  return table(['what', 'µs of CPU', 'in its place', 'µs of CPU', 'times ours'], rows);
}

/**
 * @param {string} what @param {string} inPlace @param {number} count
 * @param {[number, number]} ms of a round, ours and the other's
 */
function row(what, inPlace, count, [ours, other]) {
  const us = (/** @type {number} */ ms) => shown((1_000 * ms) / count, 1);
  return [what, us(ours), inPlace, us(other), shown(other / ours, 2)];
}

/** @param {number} rounds @param {number} checks */
function signatures(rounds, checks) {
  const id = randomUUID();
  const now = new Date();
  const webhook = new Webhook(secret);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': webhook.sign(id, now, body),
  };
  const bytes = Buffer.from(body);
  const declared = { scheme: /** @type {const} */ ('standard-webhooks'), secret_fields: ['signing_secret'] };
  return inTurns(
    rounds,
    repeated(checks, () => verifySignature(declared, { signing_secret: secret }, headers, bytes, now.getTime())),
    repeated(checks, () => webhook.verify(bytes, headers)),
  );
}

/** @param {number} rounds @param {number} checks */
function hmacs(rounds, checks) {
  const key = randomBytes(32);
  const bytes = Buffer.from(body);
  return inTurns(
    rounds,
    repeated(checks, () => hmac('sha256', key, bytes)),
    repeated(checks, () => createHmac('sha256', key).update(bytes).digest()),
  );
}

/** CPU of this process and of the Postgres backend of its connection. @param {number} rounds @param {number} batches */
async function receipts(rounds, batches) {
  const dataDir = join(cacheDir, 'bench', 'parts');
  await rm(dataDir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), log: logFileOf(dataDir, 'postgres') });
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await migrateAll(postgres.url);
    await client.connect();
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const server = () => cpuMsOf(rows[0].pid);
    const connection = { client, encoder: new CopyEncoder() };
    const many = (/** @type {(batch: Item[]) => Promise<unknown>} */ write) => async () => {
      for (let each = 0; each < batches; each += 1) await write(Array.from({ length: inBatch }, item));
    };
    return await inTurns(
      rounds,
      many((batch) => writeReceipts(connection, batch)),
      many((batch) => insert(client, batch)),
      server,
    );
  } finally {
    await client.end();
    await postgres.stop();
  }
}

/** @typedef {Parameters<typeof writeReceipts>[1][number]} Item */

/** @returns {Item} */
const item = () => ({
  receipt: {
    id: `evt_${randomUUID()}`,
    receivedAt: new Date(),
    organizationId: 'org_bench',
    projectId: 'prj_bench',
    appId: 'app_bench',
    outcome: 'accepted',
    reason: null,
    method: 'POST',
    url: '/webhooks/app_bench',
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'user-agent': 'bench' },
    body: Buffer.from(body),
    verifiedScheme: 'standard-webhooks',
    remoteAddress: '203.0.113.7',
  },
  keys: [],
});

/** @param {pg.Client} client @param {Item[]} batch */
function insert(client, batch) {
  const of = (/** @type {(receipt: Item['receipt']) => unknown} */ pick) => batch.map(({ receipt }) => pick(receipt));
  return client.query({
    name: 'insert_receipts',
    text: `INSERT INTO ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome, reason, method, url,
             headers, body, verified_scheme, remote_address)
           SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::text[], $9::text[], $10::json[], $11::bytea[], $12::text[], $13::text[])`,
    values: [
      of(({ id }) => id),
      of(({ receivedAt }) => receivedAt),
      of(({ organizationId }) => organizationId),
      of(({ projectId }) => projectId),
      of(({ appId }) => appId),
      of(({ outcome }) => outcome),
      of(({ reason }) => reason),
      of(({ method }) => method),
      of(({ url }) => url),
      of(({ headers }) => JSON.stringify(headers)),
      of(({ body: bytes }) => bytes),
      of(({ verifiedScheme }) => verifiedScheme),
      of(({ remoteAddress }) => remoteAddress),
    ],
  });
}

/** @param {number} count @param {() => unknown} work */
const repeated = (count, work) => async () => {
  for (let each = 0; each < count; each += 1) work();
};

/**
 * @param {number} rounds
 * @param {() => Promise<void>} ours
 * @param {() => Promise<void>} other
 * @param {() => number} [server] CPU of another process, in ms
 * @returns {Promise<[number, number]>} ms of CPU of a round, medians
 */
async function inTurns(rounds, ours, other, server = () => 0) {
  const cpuOf = async (/** @type {() => Promise<void>} */ work) => {
    const [before, serverBefore] = [process.cpuUsage(), server()];
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 + server() - serverBefore;
  };
  const spent = { ours: /** @type {number[]} */ ([]), other: /** @type {number[]} */ ([]) };
  // The first round warms up both.
  for (let round = 0; round <= rounds; round += 1) {
    const [first, second] = [await cpuOf(ours), await cpuOf(other)];
    if (round === 0) continue;
    spent.ours.push(first);
    spent.other.push(second);
  }
  return [median(spent.ours), median(spent.other)];
}

/** From /proc, in ticks of 10 ms; 0 without /proc. @param {number} pid */
function cpuMsOf(pid) {
  if (process.platform !== 'linux') return 0;
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}
