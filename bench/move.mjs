import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { root } from '../scripts/launcher/project.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const without = ['python-runner'];
const drainMs = 900_000;
/** Until every process has heard of the hold, nothing is copied. */
const settledSeconds = 10;

/**
 * Moves a project with so many messages, each with its turn and its delivered reply, between two installations on this
 * machine; then, as when it comes back, has the first one delete what it had left.
 * @param {{sizes: number[], bytes: number}} options
 */
export async function benchMove({ sizes, bytes }) {
  const rows = [];
  for (const messages of sizes) {
    rows.push(await moveOf(messages, bytes));
    process.stdout.write(`  ${JSON.stringify(rows.at(-1))}\n`);
  }
  const heads = ['messages', 'rows', 'database MB', 'pause s', 'of it copying s', 'rows a second', 'deleting s'];
  return table(heads, rows);
}

/** @param {number} messages @param {number} bytes */
async function moveOf(messages, bytes) {
  /** Of the services whose settings name the other side. @type {Record<string, NodeJS.ProcessEnv>} */
  const hereEnv = { 'credential-vault': {}, portal: {} };
  /** @type {Record<string, NodeJS.ProcessEnv>} */
  const thereEnv = { portal: {} };
  /** @type {(() => Promise<unknown>)[]} */
  const ends = [];
  try {
    const here = await startGatehouse({ name: 'move-here', without, serviceEnv: hereEnv });
    ends.unshift(here.close);
    const there = await startGatehouse({ name: 'move-there', without, serviceEnv: thereEnv });
    ends.unshift(there.close);
    const sink = await startHelper('sink.mjs');
    ends.unshift(() => sink.stop());
    const db = new pg.Client(here.postgres.url);
    await db.connect();
    ends.unshift(() => db.end());
    const app = await signedApp(here, { secret, replyAddress: `http://127.0.0.1:${sink.ready.port}/replies` });
    await runLoad({ url: app.url, secret, connections: 16, seconds: drainMs / 1_000, count: messages, bytes });
    const delivered = 'SELECT count(*)::integer AS count FROM gateway.delivery WHERE ended_at IS NOT NULL';
    await until(async () => (await db.query(delivered)).rows[0]?.count >= messages);

    const { data } = await here.api('GET', '/projects');
    const project = data[0].id;
    const { id: organization } = await here.api('GET', '/organizations/current');
    const { id: other } = await here.api('POST', '/projects', { name: 'Stays' });
    const own = await here.api('POST', '/api-keys', { name: 'mover', scopes: ['admin'] }, other);
    const arrival = await there.api('GET', '/moves/key');
    hereEnv['credential-vault'] = { MOVE_TARGET_KEYS: arrival.thumbprint };
    hereEnv['portal'] = { MOVE_ACCEPTS: `${organization}=${own.id}` };
    thereEnv['portal'] = { MOVE_ACCEPTS: `${organization}=${arrival.key_id}` };
    for (const [side, changed] of /** @type {const} */ ([
      [here, Object.keys(hereEnv)],
      [there, Object.keys(thereEnv)],
    ])) {
      await side.stop([...changed]);
      await side.start([...changed]);
    }
    const [from, to] = [here.urlOf('portal'), there.urlOf('portal')];
    const env = { GATEHOUSE_URL: from, GATEHOUSE_API_KEY: own.key, GATEHOUSE_TARGET_API_KEY: there.apiKey };
    const { rows: before } = await db.query(
      'SELECT pg_database_size(current_database())::double precision / 1e6 AS mb',
    );
    const moved = await gatehouse(env, 'move', project, '--to', to, '--json');
    const { rows: held } = await db.query(
      'SELECT extract(epoch FROM changed_at - held_at)::double precision AS pause FROM journal.project_hold',
    );
    const count = JSON.parse(moved).tables.reduce(
      (/** @type {number} */ sum, /** @type {{rows: number}} */ each) => sum + each.rows,
      0,
    );
    const copying = held[0].pause - settledSeconds;
    await gatehouse(env, 'move', 'end', project, '--to', to);
    return [
      String(messages),
      String(count),
      shown(before[0].mb, 0),
      shown(held[0].pause, 1),
      shown(copying, 1),
      shown(count / copying, 0),
      shown(await deletion(from, own.key, { project, organization, to }), 1),
    ];
  } finally {
    for (const end of ends) await end();
  }
}

/**
 * Has an installation take a project back that it had left.
 * @param {string} url @param {string} key @param {{project: string, organization: string, to: string}} move
 * @returns {Promise<number>} seconds until what it had left is deleted
 */
async function deletion(url, key, { project, organization, to }) {
  const began = performance.now();
  const body = { project_id: project, organization_id: organization, organization_name: 'Bench', from: to };
  await until(async () => {
    const answer = await fetch(`${url}/api/v1/moves/arrivals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, hand_on_key: {} }),
    });
    const text = await answer.text();
    if (answer.status !== 200 && !text.includes('still_deleting')) throw new Error(`${answer.status}: ${text}`);
    return answer.status === 200;
  });
  return (performance.now() - began) / 1_000;
}

/**
 * @param {NodeJS.ProcessEnv} env @param {string[]} args
 * @returns {Promise<string>} what it printed
 */
function gatehouse(env, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'dist/apps/cli/src/gatehouse.js'), ...args], {
      env: { PATH: process.env['PATH'], ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (err += part));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${args.join(' ')}: ${err}`))));
  });
}

/** @param {() => Promise<boolean>} holds */
async function until(holds) {
  for (const end = Date.now() + drainMs; Date.now() < end; await pause(500)) if (await holds()) return;
  throw new Error('It took too long.');
}
