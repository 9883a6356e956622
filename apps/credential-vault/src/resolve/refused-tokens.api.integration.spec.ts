import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { connectBack } from '../testing/connect-back.js';
import { type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { fakeTokenEndpoint, type FakeTokenEndpoint, oauthCredential } from '../testing/fake-token-endpoint.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let provider: FakeTokenEndpoint;
let gateway: FakeGateway;
let made = 0;

beforeAll(async () => {
  [provider, gateway] = await Promise.all([fakeTokenEndpoint(), fakeGateway()]);
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, GATEWAY_URL: gateway.url });
});
afterAll(async () => {
  await vault?.close();
  await Promise.all([provider?.close(), gateway?.close()]);
});
beforeEach(() => gateway.answers(200, { ok: true, user: 'Someone' }));

/** Connected to an account whose provider gives these tokens. */
async function connected(tokens: object, grant = 'authorization_code'): Promise<string> {
  provider.answer(() => ({ body: tokens }));
  const id = await oauthCredential(vault, `refused ${(made += 1)}`, provider.config, { grant });
  await vault.query("UPDATE vault.credential SET adapter_slug = 'acme' WHERE id = $1", [id]);
  if (grant === 'authorization_code') expect((await connectBack(vault, id)).status).toBe(200);
  return id;
}
/** What a caller gets who reports the token of that version as refused. */
const report = (id: string, version: number) =>
  vault.internal('POST', 'credentials/resolve', { credential_id: id, refused_version: version });
const stateOf = async (id: string) => (await vault.call('GET', `credentials/${id}/oauth`)).body;
const notices = (id: string) =>
  vault.query("SELECT to_state FROM vault.grant_event WHERE credential_id = $1 AND to_state <> 'active'", [id]);
const refuse = (): void => gateway.answers(200, { ok: false, code: 'auth_failed', error: 'revoked' });
const alone = { access_token: 'at-alone' };

describe('a refused access token that cannot be replaced', () => {
  it('ends its grant once /verify refuses it too, and its owner is notified once', async () => {
    const id = await connected(alone);
    refuse();
    const asked = gateway.calls.length;
    const answers = await Promise.all([1, 2, 3].map(() => report(id, 1)));
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'needs_reconnect']);
    expect(gateway.calls.slice(asked)).toHaveLength(1);
    expect(gateway.calls.at(-1)?.body).toMatchObject({
      adapter_slug: 'acme',
      credentials: { access_token: 'at-alone' },
    });
    expect(await stateOf(id)).toMatchObject({ state: 'needs_reconnect', reason: 'access_token_refused' });
    expect(await notices(id)).toEqual([{ to_state: 'needs_reconnect' }]);
    gateway.answers(200, { ok: true, user: 'Someone' });
    expect((await connectBack(vault, id)).status).toBe(200);
    expect((await report(id, 1)).body).toMatchObject({ token_version: 2, fields: alone });
  });

  it('stays where /verify accepts it, which is asked once in a while', async () => {
    const id = await connected(alone);
    const asked = gateway.calls.length;
    for (let times = 0; times < 3; times += 1) {
      expect((await report(id, 1)).body).toMatchObject({ token_version: 1, fields: alone });
    }
    expect(gateway.calls.slice(asked)).toHaveLength(1);
    expect(await stateOf(id)).toMatchObject({ state: 'active' });
  });

  it('stays where nobody can be asked, and the next report asks again', async () => {
    const id = await connected(alone);
    gateway.answers(503, { code: 'unavailable' });
    expect((await report(id, 1)).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ state: 'active' });
    refuse();
    expect((await report(id, 1)).status).toBe(409);
  });

  it('ends its grant too when it has just replaced a refused one', async () => {
    const id = await connected({ access_token: 'at-1', refresh_token: 'rt-1', expires_in: 3_600 });
    await vault.query(
      "UPDATE vault.oauth_grant SET obtained_at = now() - interval '1 minute' WHERE credential_id = $1",
      [id],
    );
    provider.answer(() => ({ body: { access_token: 'at-2', expires_in: 3_600 } }));
    expect((await report(id, 1)).body).toMatchObject({ token_version: 2, fields: { access_token: 'at-2' } });
    refuse();
    expect((await report(id, 2)).body).toMatchObject({ code: 'needs_reconnect' });
  });

  it('does not end a grant that nobody connects', async () => {
    const id = await connected({ access_token: 'at', expires_in: 3_600 }, 'client_credentials');
    const { token_version: version } = (await report(id, 0)).body;
    refuse();
    expect((await report(id, Number(version))).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ state: 'active' });
  });
});
