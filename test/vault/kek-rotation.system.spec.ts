import type { Principal } from '#libs/service-kit';
import { randomBytes } from 'node:crypto';
import type { RewrapProgress } from '../../apps/credential-vault/src/keys/rewrapper.js';
import { type OauthWorld, startWorld } from './oauth-world.js';

const cli: Principal = {
  subject: 'service:credential-vault',
  organizationId: '',
  projectId: '',
  scopes: ['service'],
};

describe('a rotation of the KEK with grants alive', () => {
  let world: OauthWorld;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  const restart = async (ring: object): Promise<void> => {
    await world.vaults.kill(0);
    await world.vaults.start(0, { GATEHOUSE_KEK_RING: JSON.stringify(ring) });
  };

  it('leaves their tokens, stored answers and unconfirmed accounts readable without the old key', async () => {
    const ids = [await world.connected('one'), await world.connected('two')];
    const { callback, browser } = await world.authorize(ids[1] ?? '', 'mallory');
    await browser.get(callback.href);
    const before = await Promise.all(ids.map((id) => world.vaults.resolve(id)));
    const { keys } = world.vaults.ring;
    const k2 = randomBytes(32).toString('base64');
    await restart({ primary: 'k2', keys: { ...keys, k2 } });

    const reads: number[] = [];
    let rotating = true;
    const reader = (async () => {
      while (rotating) reads.push((await world.vaults.resolve(ids[0] ?? '')).status);
    })();
    const rewrap = { to: 'k2', batch: 1, budget_ms: 5_000 };
    for (let finished = false; !finished;) {
      const { status, body } = await world.vaults.call<RewrapProgress>('POST', '/internal/keys/rewrap', rewrap, cli);
      expect(status).toBe(200);
      expect(body.failed).toEqual([]);
      finished = body.finished && body.rewrapped === 0;
    }
    rotating = false;
    await reader;
    expect(reads.length).toBeGreaterThan(0);
    expect(new Set(reads)).toEqual(new Set([200]));

    await restart({ primary: 'k2', keys: { k2 } });
    for (const [at, id] of ids.entries()) {
      const after = await world.vaults.resolve(id);
      expect(after.body.fields.access_token).toBe(before[at]?.body.fields.access_token);
      await world.expire(id);
      expect((await world.vaults.resolve(id)).status).toBe(200);
      expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
    }
    const { rows } = await world.vaults.db.query(
      'SELECT id FROM vault.oauth_flow WHERE unconfirmed_attempt IS NOT NULL',
    );
    const confirm = `/api/v1/credentials/${ids[1]}/connect/${rows[0].id}/confirm`;
    expect((await world.vaults.call('POST', confirm)).status).toBe(200);
    expect(await world.row(ids[1] ?? '')).toMatchObject({ version: 3 });
  });
});
