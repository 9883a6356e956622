import { laggingLists, mayLagHeader } from '#libs/contracts';
import { until } from '#libs/testing';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';
import { RecentWriteRepository } from './recent-write.repository.js';

let portal: PortalWorld;
let other: string;
let behind: Upstream;
const settings = { DATABASE_REPLICA_URL: 'postgres://nobody@127.0.0.1:9/none', REPLICA_MAX_LAG_MS: 1_000 };

beforeAll(async () => {
  behind = await startUpstream('service', {});
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0, settings);
  other = await (await portal.start(settings)).getUrl();
});
afterAll(async () => {
  await portal.close();
  await behind.close();
});

/** @returns the age that rows may have, as the service behind received it */
async function lagOf(url: string, path: string, key: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers };
  expect((await fetch(`${url}${path}`, { ...init, headers })).status).toBe(200);
  return behind.seen.at(-1)?.headers[mayLagHeader];
}
const write = (url: string, key: string) =>
  lagOf(url, '/api/v1/agents', key, { method: 'POST', body: JSON.stringify({ name: 'a' }) });

describe('a list that may lag', () => {
  it('may be so old for who has changed nothing, and other reads may not', async () => {
    const key = await portal.key(['admin']);
    for (const path of Object.values(laggingLists).filter((each) => each !== laggingLists.audit)) {
      expect([path, await lagOf(portal.url, `${path}?limit=1`, key)]).toEqual([path, '1000']);
    }
    for (const path of ['/api/v1/events/evt_1', '/api/v1/apps', '/api/v1/runs/run_1'])
      expect([path, await lagOf(portal.url, path, key)]).toEqual([path, undefined]);
  });

  it('is current for who has just changed something, at every process of the portal, and may lag again later', async () => {
    const [key, bystander] = [await portal.key(['admin']), await portal.key(['admin'])];
    const list = (url: string, of = key): Promise<unknown> => lagOf(url, laggingLists.runs, of);
    expect(await list(other)).toBe('1000');
    await write(portal.url, key);
    expect(await list(other)).toBeUndefined();
    expect(await list(portal.url)).toBeUndefined();
    expect(await list(other, bystander)).toBe('1000');
    const startMs = Date.now();
    await until('it may lag again', async () => (await list(other)) === '1000');
    expect(Date.now() - startMs).toBeGreaterThan(1_500);
  });

  it('stays current while somebody goes on changing, however often that is written down', async () => {
    const key = await portal.key(['admin']);
    const endMs = Date.now() + 4_000;
    while (Date.now() < endMs) {
      await write(portal.url, key);
      expect(await lagOf(other, laggingLists.events, key)).toBeUndefined();
    }
    const rows = await portal.query('SELECT FROM portal.recent_write WHERE until > now()');
    expect(rows.length).toBeGreaterThanOrEqual(1);
  });

  it('is current for who has changed two things at once: the second is answered when the first is written down', async () => {
    const key = await portal.key(['admin']);
    const lock = await portal.pool.connect();
    await lock.query('BEGIN; LOCK TABLE portal.recent_write IN EXCLUSIVE MODE');
    const first = write(portal.url, key);
    let second: Promise<unknown> = Promise.resolve();
    let answered = false;
    try {
      await until('it is being written down', async () => {
        const waiting = await portal.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'portal.recent_write'::regclass`,
        );
        return waiting.length === 1;
      });
      const startedAt = behind.seen.length;
      second = write(portal.url, key).then(() => (answered = true));
      await until('the service has done it', () => behind.seen.length > startedAt);
      // What is asked afterwards is answered meanwhile.
      for (let asked = 0; asked < 5; asked += 1) await lagOf(portal.url, '/api/v1/apps', key);
      expect(answered).toBe(false);
    } finally {
      await lock.query('COMMIT');
      lock.release();
    }
    await Promise.all([first, second]);
    expect(await lagOf(other, laggingLists.events, key)).toBeUndefined();
  });

  it('leaves nothing of who has changed something long ago', async () => {
    await portal.query(
      `INSERT INTO portal.recent_write VALUES ('long-ago', now() - interval '1 s'), ('now', now() + interval '1 h')`,
    );
    await portal.app.get(RecentWriteRepository, { strict: false }).deleteOver(1_000);
    const left = await portal.query(`SELECT asker FROM portal.recent_write WHERE asker IN ('long-ago', 'now')`);
    expect(left).toEqual([{ asker: 'now' }]);
  });

  it('is not for a client to ask for', async () => {
    const key = await portal.key(['admin']);
    await write(portal.url, key);
    const asked = { headers: { [mayLagHeader]: '600000' } };
    expect(await lagOf(other, laggingLists.events, key, asked)).toBeUndefined();
    expect(await lagOf(other, '/api/v1/apps', key, asked)).toBeUndefined();
  });

  it('is current where the portal knows of no replica', async () => {
    const url = await (await portal.start({ DATABASE_REPLICA_URL: null })).getUrl();
    expect(await lagOf(url, laggingLists.events, await portal.key(['admin']))).toBeUndefined();
  });
});
