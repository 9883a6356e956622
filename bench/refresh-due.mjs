import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../scripts/launcher/postgres.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { startVault } from './oauth/contenders.mjs';
import { startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const minValidSeconds = 60;
const windowSeconds = 60;
const askers = 16;

/**
 * All grants become due within one minute, while callers ask for them at random. Does anyone get a token that does not
 * live long enough?
 * @param {{grants: number, maxSeconds: number}} options
 */
export async function benchRefreshDue({ grants, maxSeconds }) {
  const dir = join(cacheDir, 'bench', 'refresh-due');
  await rm(dir, { recursive: true, force: true });
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), durable: false });
  const redis = await startRedis({ dir: join(dir, 'redis') });
  const provider = await startHelper('oauth/provider.mjs');
  const providerUrl = provider.ready.url;
  const vault = await startVault({ databaseUrl: postgres.url, redisUrl: redis.url, providerUrl, lockMs: 15_000 });
  try {
    const minted = await fetch(`${providerUrl}/__mint`, { method: 'POST', body: JSON.stringify({ count: grants }) });
    const { tokens } = /** @type {{tokens: string[]}} */ (await minted.json());
    const ids = await vault.makeGrants(tokens, () => 86_400);
    const began = Date.now();
    // All are due at once, as after an outage. Their remaining lives start at one minute and spread over the window.
    await vault.db.query(
      `UPDATE vault.oauth_grant SET refresh_due_at = now(), at_expires_at = now() + make_interval(secs => $1 + $2 * random())`,
      [minValidSeconds, windowSeconds],
    );
    const { rows } = await vault.db.query('SELECT credential_id AS id, at_expires_at AS ends FROM vault.oauth_grant');
    const endsAt = new Map(rows.map(({ id, ends }) => [id, ends.getTime()]));
    let [served, refused, stale] = [0, 0, 0];
    let left = grants;
    const ask = async (/** @type {number} */ asker) => {
      while (left > 0 && Date.now() - began < maxSeconds * 1_000) {
        const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
        const asked = Date.now();
        const token = await vault.token(id, asker % 4);
        if (token === null) refused += 1;
        else served += 1;
        if (token?.startsWith('old-') && asked > (endsAt.get(id) ?? 0) - minValidSeconds * 1_000) stale += 1;
      }
    };
    const watch = async () => {
      while (left > 0 && Date.now() - began < maxSeconds * 1_000) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        left = Number((await vault.db.query('SELECT count(*) FROM vault.oauth_grant WHERE version = 1')).rows[0].count);
      }
    };
    await Promise.all([watch(), ...Array.from({ length: askers }, (_, asker) => ask(asker))]);
    const seconds = (Date.now() - began) / 1_000;
    const states = await vault.db.query("SELECT count(*) FROM vault.oauth_grant WHERE state <> 'active'");
    const answer = await fetch(`${providerUrl}/__faults`, { method: 'POST', body: '{}' });
    const { requests } = /** @type {{requests: unknown[]}} */ (await answer.json());
    return table(
      [
        'Grants due',
        'Refreshed',
        'In',
        'Token calls',
        'Not active',
        'Callers served',
        'Told to come again',
        'Handed a stale token',
      ],
      [[grants, grants - left, `${shown(seconds)} s`, requests.length, states.rows[0].count, served, refused, stale]],
    );
  } finally {
    await vault.close();
    await provider.stop();
    await redis.stop();
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
