import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../scripts/launcher/postgres.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { startNaive, startVault } from './oauth/contenders.mjs';
import { startHelper } from './processes.mjs';
import { table } from './table.mjs';

const lockMs = 1_000;
const longMs = 3_000;

/**
 * Refreshes a rotating token while things go wrong. Compares Gatehouse with a lock with a TTL and a plain update, each
 * as four processes, against the same real authorization server.
 * @param {{callers: number}} options
 */
export async function benchRefresh({ callers }) {
  const dir = join(cacheDir, 'bench', 'refresh');
  await rm(dir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), durable: false });
  const stores = [
    await startRedis({ dir: join(dir, 'redis-naive') }),
    await startRedis({ dir: join(dir, 'redis-vault') }),
  ];
  const provider = await startHelper('oauth/provider.mjs');
  const providerUrl = provider.ready.url;
  const given = (/** @type {number} */ at) => ({
    databaseUrl: postgres.url,
    redisUrl: stores[at]?.url ?? '',
    providerUrl,
    lockMs,
  });
  /** @type {import('./oauth/contenders.mjs').Contender[]} */
  const contenders = [];
  const control = (/** @type {object} */ what, path = '/__faults') =>
    fetch(`${providerUrl}${path}`, { method: 'POST', body: JSON.stringify(what) }).then(
      (answer) => /** @type {Promise<any>} */ (answer.json()),
    );
  const held = async () => {
    while ((await control({})).held === 0) await sleep(20);
  };
  /** @type {string[][]} */
  const rows = [];
  try {
    contenders.push(await startNaive(given(0)), await startVault(given(1)));
    for (const [what, scenario] of scenarios({ control, held, stores })) {
      for (const [at, contender] of contenders.entries()) {
        const { tokens } = await control({ count: 1 }, '/__mint');
        const [id = ''] = await contender.makeGrants(tokens);
        await control({ faults: [], delayMs: 0, graceMs: 0, release: true, reset: true });
        const ask = (only = [0, 1, 2, 3], some = callers) =>
          Promise.all(
            Array.from({ length: some }, (_, caller) => contender.token(id, only[caller % only.length] ?? 0)),
          );
        const served = (await scenario({ contender, at, id, ask })).filter((token) => token !== null).length;
        const { requests } = await control({});
        await control({ faults: [], delayMs: 0, release: true });
        const { says, refreshToken } = await contender.row(id);
        const alive = await isAlive(providerUrl, refreshToken);
        rows.push([
          what,
          contender.name,
          String(requests.length),
          `${served} of ${callers}`,
          alive ? 'alive' : 'dead',
          says,
        ]);
        process.stdout.write(`  ${rows.at(-1)?.join(' · ')}\n`);
      }
    }
    return table(['What happens', 'Refresher', 'Token calls', 'Callers served', 'Grant', 'The row says'], rows);
  } finally {
    for (const contender of contenders) await contender.close();
    await provider.stop();
    for (const store of stores) await store.stop();
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Whether the provider still accepts the stored token. The check uses it up. */
async function isAlive(/** @type {string} */ providerUrl, /** @type {string | null} */ refreshToken) {
  const answer = await fetch(`${providerUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('gatehouse:a-client-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken ?? '' }),
  });
  return answer.ok;
}

/**
 * @typedef {{contender: import('./oauth/contenders.mjs').Contender, at: number, id: string, ask: (only?: number[], some?: number) => Promise<(string | null)[]>}} Setting
 * @param {{tell: (what: object) => Promise<any>, held: () => Promise<void>, stores: {stop: () => Promise<void>}[]}} world
 * @returns {Array<[string, (setting: Setting) => Promise<(string | null)[]>]>}
 */
function scenarios({ control, held, stores }) {
  const killWhile = async (/** @type {Setting} */ { contender, ask }, /** @type {() => Promise<void>} */ until) => {
    const first = ask([3], 1);
    await until();
    contender.kill(3);
    await first;
    // Longer than any lock, lease or heartbeat.
    await sleep(longMs);
    const answers = await ask([0, 1, 2]);
    await contender.start(3);
    return answers;
  };
  return [
    ['nothing', ({ ask }) => ask()],
    [
      'the provider takes three times the lock’s time',
      async ({ ask }) => {
        await control({ delayMs: 3 * lockMs });
        return ask();
      },
    ],
    [
      'the answer is lost on its way',
      async ({ ask }) => {
        await control({ faults: [{ kind: 'drop-after' }] });
        return ask();
      },
    ],
    [
      'it is lost, at a provider with a grace period',
      async ({ ask }) => {
        await control({ faults: [{ kind: 'drop-after' }], graceMs: 10_000 });
        return ask();
      },
    ],
    [
      'kill -9 while the answer is on its way',
      async (setting) => {
        await control({ faults: [{ kind: 'hold-after' }] });
        return killWhile(setting, held);
      },
    ],
    [
      'kill -9 with the answer, before the update of the row',
      async (setting) => {
        await control({ faults: [{ kind: 'hold-after' }] });
        const { db, table: name } = setting.contender;
        const key = name === 'naive' ? 'id' : 'credential_id';
        const holder = await db.connect();
        return killWhile(setting, async () => {
          await held();
          await holder.query('BEGIN');
          await holder.query(`SELECT 1 FROM ${name} WHERE ${key} = $1 FOR UPDATE`, [setting.id]);
          await control({ release: true });
          const waiting = "datname = current_database() AND wait_event_type = 'Lock'";
          while ((await db.query(`SELECT 1 FROM pg_stat_activity WHERE ${waiting}`)).rowCount === 0) await sleep(20);
          // Time for what precedes the row's update: an answer that is stored at all is stored by now.
          await sleep(500);
          setting.contender.kill(3);
          await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`);
          await holder.query('ROLLBACK');
          holder.release();
        });
      },
    ],
    [
      'the answer has no new refresh token',
      async ({ ask }) => {
        await control({ faults: [{ kind: 'patch', fields: { refresh_token: null } }], graceMs: 60_000 });
        return ask();
      },
    ],
    [
      'Redis stops in the middle',
      async ({ ask, at }) => {
        await control({ faults: [{ kind: 'hold-after' }] });
        const early = ask();
        await held();
        await stores[at]?.stop();
        await sleep(longMs);
        await control({ release: true });
        return early;
      },
    ],
  ];
}
