import { type BreakableLink, openLink, testRedisUrl, until } from '#libs/testing';
import { type OauthWorld, startWorld } from './oauth-world.js';

let world: OauthWorld;
let redis: BreakableLink;
let postgres: BreakableLink;

beforeAll(async () => {
  redis = await openLink(testRedisUrl());
  world = await startWorld({
    count: 4,
    redisUrl: redis.url,
    databaseWay: async (url) => (postgres = await openLink(url)).url,
    env: { TOKEN_HOST_CONCURRENCY: '32', REFRESH_SWEEP_MS: '500' },
  });
});

afterAll(async () => {
  await world?.close();
  await Promise.all([redis?.close(), postgres?.close()]);
});

afterEach(async () => {
  redis.mend();
  postgres.mend();
  await world.provider.configure({ faults: [], delayMs: 0, release: true });
});

const held = (): Promise<unknown> =>
  until('the provider has it', async () => (await world.provider.recorded()).held === 1);

describe('a loss of Redis in the middle of a refresh', () => {
  it('harms nobody: one request, every caller served', async () => {
    const id = await world.connected('redis');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    const early = Array.from({ length: 100 }, (_, caller) => world.vaults.resolve(id, caller % 4));
    await held();
    redis.cut();
    const cutAt = new Date();
    const late = Array.from({ length: 100 }, (_, caller) => world.vaults.resolve(id, caller % 4));
    await until('the process continues without its lease', async () => {
      const { rows } = await world.vaults.db.query(
        'SELECT 1 FROM vault.oauth_grant WHERE credential_id = $1 AND attempt_heartbeat > $2',
        [id, cutAt],
      );
      return rows.length > 0;
    });
    await world.provider.configure({ release: true });
    const answers = await Promise.all([...early, ...late]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('leaves the schedule to the sweeper', async () => {
    const id = await world.connected('sweeper');
    redis.cut();
    await world.expire(id);
    await until('it was refreshed without a caller', async () => (await world.row(id)).version === 2);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });
});

describe('a loss of Postgres', () => {
  it('before the intent means that no request is sent', async () => {
    const id = await world.connected('no intent');
    await world.expire(id);
    postgres.cut();
    const { status } = await world.vaults.resolve(id);
    expect(status).toBe(503);
    postgres.mend();
    await until('the vault is back', async () => (await world.vaults.resolve(id)).status === 200);
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('when the answer comes makes the process hold the answer until it can be stored', async () => {
    const id = await world.connected('answer in hand');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    await world.expire(id);
    const caller = world.vaults.resolve(id);
    await held();
    postgres.cut();
    await world.provider.configure({ release: true });
    await caller;
    postgres.mend();
    await until('the answer is in place', async () => (await world.row(id)).version === 2);
    expect(await world.provider.refreshes()).toHaveLength(1);
    await world.expire(id);
    await until('the grant lives', async () => (await world.vaults.resolve(id)).status === 200);
  });
});
