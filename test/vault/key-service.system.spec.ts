import { until } from '#libs/testing';
import { transitService } from '../../apps/credential-vault/src/testing/key-services.js';
import { type OauthWorld, startWorld } from './oauth-world.js';

let openbao: Awaited<ReturnType<typeof transitService>>;
let world: OauthWorld;

beforeAll(async () => {
  openbao = await transitService();
  const ring = { primary: 'bao', keys: { bao: { transit: openbao.key } } };
  world = await startWorld({ env: { GATEHOUSE_KEK_RING: JSON.stringify(ring), REFRESH_SWEEP_MS: '500' } });
});
afterAll(async () => {
  await world?.close();
  await openbao.close();
});
afterEach(async () => {
  openbao.away = false;
  await world.provider.configure({ faults: [], release: true });
});

describe('a key service that is unavailable while tokens are refreshed', () => {
  it('stops refresh requests: an answer that cannot be sealed would be lost', async () => {
    const id = await world.connected('not asked');
    // Its data keys are cached for a minute.
    expect((await world.vaults.resolve(id)).status).toBe(200);
    openbao.away = true;
    const { refused } = openbao;
    await world.expire(id);
    await until('the vault has asked for a key in vain', async () => openbao.refused > refused);
    expect((await world.vaults.resolve(id)).status).toBe(503);
    expect(await world.provider.refreshes()).toHaveLength(0);
    openbao.away = false;
    await until('it is refreshed', async () => (await world.vaults.resolve(id)).status === 200);
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('costs no token when it fails while the answer is in flight', async () => {
    const id = await world.connected('kept');
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    await world.expire(id);
    const caller = world.vaults.resolve(id);
    await until('the provider has it', async () => (await world.provider.recorded()).held === 1);
    openbao.away = true;
    const { refused } = openbao;
    await world.provider.configure({ release: true });
    await until('the vault has asked for a key in vain', async () => openbao.refused > refused);
    openbao.away = false;
    await caller;
    await until('the answer is in place', async () => (await world.row(id)).version === 2);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });
});
