import { home } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { admin, vaultWorld, type VaultWorld, writer } from '../testing/vault-world.js';

let gateway: FakeGateway;
let vault: VaultWorld;
let made = 0;

beforeAll(async () => {
  gateway = await fakeGateway();
  const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
  vault = await vaultWorld(ring, { GATEWAY_URL: gateway.url });
});
afterAll(async () => {
  await vault.close();
  await gateway.close();
});
beforeEach(() => gateway.answers(200, { ok: true, user: 'Someone', account: { id: 'acc_1' } }));

const create = async (token = 'a-token') => {
  const body = { name: `v${(made += 1)}`, type: 'api_key', adapter_slug: 'slack', fields: { token } };
  return (await vault.call('POST', 'credentials', body)).body;
};
const get = async (id: string) => (await vault.call('GET', `credentials/${id}`)).body;
const verify = (id: string, as = writer) => vault.call('POST', `credentials/${id}/verify`, undefined, as);

describe('verifying', () => {
  it('asks the adapter on save, and stores which account it is', async () => {
    const saved = await create();
    expect(saved).toMatchObject({ status: 'active', reason: null, account: { id: 'acc_1', name: 'Someone' } });
    expect(Date.parse(saved.last_verified_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(gateway.calls.at(-1)).toEqual({
      path: '/internal/adapter-calls/verify',
      body: {
        organization_id: home.organizationId,
        adapter_slug: 'slack',
        credentials: { token: 'a-token' },
        credential_type: 'api_key',
        credential_id: saved.id,
      },
    });
  });

  it('asks on demand, and says what the provider refused, without the secret that the provider quotes', async () => {
    const { id } = await create('very-secret-token');
    gateway.answers(200, { ok: false, error: 'invalid_auth: very-secret-token is revoked' });
    const answer = await verify(id);
    expect(answer.body).toEqual({
      ok: false,
      status: 'invalid',
      code: 'auth_failed',
      reason: 'invalid_auth: [redacted] is revoked',
      account_changed: false,
    });
    expect(await get(id)).toMatchObject({ status: 'invalid', reason: 'invalid_auth: [redacted] is revoked' });
    gateway.answers(200, { ok: true });
    expect((await verify(id)).body).toMatchObject({ ok: true, status: 'active', reason: null });
  });

  it.each(['provider_unavailable', 'contract_violation', 'timeout', 'circuit_open', 'adapter_unready'])(
    'leaves a credential unchanged when there is no verdict: %s',
    async (code) => {
      const { id } = await create();
      gateway.answers(200, { ok: false, code, error: 'it is down' });
      const reason = 'not verified: it is down';
      expect((await verify(id)).body).toMatchObject({ ok: false, status: 'active', code, reason });
      expect(await get(id)).toMatchObject({ status: 'active', reason });
    },
  );

  it('asks again when a field changed, and not when only the name did', async () => {
    const { id } = await create();
    const before = gateway.calls.length;
    await vault.call('PATCH', `credentials/${id}`, { name: `renamed ${made}` });
    expect(gateway.calls).toHaveLength(before);
    await vault.call('PATCH', `credentials/${id}`, { fields: { token: 'b-token' } });
    expect(gateway.calls.at(-1)?.body.credentials).toEqual({ token: 'b-token' });
  });

  it('reports that the credential belongs to a different account than before', async () => {
    const { id } = await create();
    gateway.answers(200, { ok: true, account: { id: 'acc_2' } });
    expect((await verify(id)).body).toMatchObject({ ok: true, account_changed: true });
    expect((await get(id)).reason).toMatch(/different account than before: it was acc_1/);
  });

  it('hands over what the App is given, under its names, and nothing that it may not have', async () => {
    const { id } = await create();
    const binding = { consumer_kind: 'app', consumer_id: 'app_1', maps_to: { token: 'bot_token' } };
    await vault.call('POST', `credentials/${id}/bindings`, binding, admin);
    await verify(id);
    expect(gateway.calls.at(-1)?.body.credentials).toEqual({ bot_token: 'a-token' });
    const oauth = await vault.call('POST', 'credentials', {
      name: 'oauth',
      type: 'oauth2',
      grant: 'authorization_code',
      adapter_slug: 'slack',
      fields: { client_id: 'id', client_secret: 'cs', access_token: 'at', refresh_token: 'rt' },
    });
    expect(oauth.status).toBe(201);
    expect(Object.keys(gateway.calls.at(-1)?.body.credentials ?? {})).toEqual(
      expect.not.arrayContaining(['client_secret', 'refresh_token']),
    );
  });

  it('lets a save succeed when the gateway is unavailable, and says so on demand', async () => {
    gateway.answers(503, { code: 'adapter_unavailable', detail: 'not now' });
    const saved = await create();
    expect(saved).toMatchObject({ status: 'active', reason: 'not verified: not now' });
    const { status, body } = await verify(saved.id);
    expect([status, body.ok, body.code, body.reason]).toEqual([
      200,
      false,
      'adapter_unavailable',
      'not verified: not now',
    ]);
  });

  it('asks nobody about an oauth2 credential that nobody has connected, and says so', async () => {
    const body = { name: `v${(made += 1)}`, type: 'oauth2', grant: 'authorization_code', adapter_slug: 'slack' };
    const fields = { client_id: 'id', client_secret: 'cs' };
    const { id } = (await vault.call('POST', 'credentials', { ...body, fields })).body;
    const before = gateway.calls.length;
    const answer = await verify(id);
    expect([answer.status, answer.body.ok, answer.body.code]).toEqual([200, false, 'not_connected']);
    expect(answer.body.reason).toMatch(/connect it first/);
    expect(gateway.calls).toHaveLength(before);
  });

  it('needs an adapter, the scope and the project', async () => {
    const body = { name: 'no adapter', type: 'api_key', fields: { token: 'a' } };
    const { id } = (await vault.call('POST', 'credentials', body)).body;
    expect((await verify(id)).body).toMatchObject({ status: 409, code: 'no_adapter' });
    expect((await verify(id, { ...writer, scopes: ['credentials:read'] })).status).toBe(403);
    expect((await verify(id, { ...writer, organizationId: 'org_b' })).status).toBe(404);
  });
});
