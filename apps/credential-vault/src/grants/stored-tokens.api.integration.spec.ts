import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { fakeTokenEndpoint, type FakeTokenEndpoint, type TokenAnswerOf } from '../testing/fake-token-endpoint.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
const four = { client_id: 'gatehouse', client_secret: 's', access_token: 'old-at', refresh_token: 'old-rt' };
let vault: VaultWorld;
let provider: FakeTokenEndpoint;
let gateway: FakeGateway;
let count = 0;

beforeAll(async () => {
  [provider, gateway] = await Promise.all([fakeTokenEndpoint(), fakeGateway()]);
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, GATEWAY_URL: gateway.url });
});
afterAll(async () => {
  await vault?.close();
  await Promise.all([provider?.close(), gateway?.close()]);
});
beforeEach(() => {
  provider.requests.length = 0;
  // Rotates: `old-rt` becomes `old-rt.`, and so on.
  provider.answer(({ refresh_token: token = '' }) => ({
    body: { access_token: `at for ${token}`, refresh_token: `${token}.`, expires_in: 3_600 },
  }));
  gateway.answers(200, { ok: true, oauth_config: null });
});

const create = async (fields: object, more: object = {}) => {
  const body = { name: `credential ${(count += 1)}`, type: 'oauth2', grant: 'authorization_code', fields, ...more };
  const made = await vault.call('POST', 'credentials', body);
  expect(made.status).toBe(201);
  return made.body;
};
const configure = (id: string, config: object = provider.config) =>
  vault.call('PUT', `credentials/${id}/oauth`, { config });
const change = (id: string, fields: object) => vault.call('PATCH', `credentials/${id}`, { fields });
const view = async (id: string) => (await vault.call('GET', `credentials/${id}`)).body;
const resolve = (id: string) => vault.internal('POST', 'credentials/resolve', { credential_id: id });
const token = async (id: string): Promise<unknown> => (await resolve(id)).body.fields?.['access_token'];
const refreshedWith = (): unknown[] => provider.requests.map(({ refresh_token: used }) => used);

/** Makes the next use refresh. */
const expire = (id: string) =>
  vault.query(
    `UPDATE vault.oauth_grant SET at_expires_at = now() - interval '1 s', obtained_at = now() - interval '1 h',
       refresh_due_at = now(), next_try_at = now() WHERE credential_id = $1`,
    [id],
  );

describe('tokens that were stored with a credential', () => {
  it('are refreshed at the first use and from then on, once their token_url is known', async () => {
    const { id } = await create(four);
    expect(await token(id)).toBe('old-at');
    expect((await configure(id)).body).toMatchObject({ state: 'active', version: 1 });
    expect(await view(id)).toMatchObject({ status: 'active', fields: ['client_id', 'client_secret'] });
    const answers = await Promise.all(Array.from({ length: 20 }, () => token(id)));
    expect(new Set(answers)).toEqual(new Set(['at for old-rt']));
    await expire(id);
    expect(await token(id)).toBe('at for old-rt.');
    expect(refreshedWith()).toEqual(['old-rt', 'old-rt.']);
  });

  it('are refreshed where the oauth_config of its adapter says, as soon as it is saved', async () => {
    gateway.answers(200, { ok: true, oauth_config: provider.config });
    const { id, fields } = await create(four, { adapter_slug: 'acme' });
    expect(fields).toEqual(['client_id', 'client_secret']);
    expect(refreshedWith()).toEqual(['old-rt']);
    const asked = gateway.calls.filter(({ path }) => path.endsWith('/verify')).at(-1);
    expect(asked?.body.credentials).toMatchObject({ access_token: 'at for old-rt' });
    expect(await token(id)).toBe('at for old-rt');
  });

  it('are refreshed where the adapter of an App says that is bound to it', async () => {
    const { id } = await create(four);
    gateway.answers(200, { ok: true, oauth_config: provider.config });
    const body = { credential_id: id, consumer: { kind: 'app', id: 'app_1' }, adapter_slug: 'acme' };
    expect((await vault.internal('PUT', 'bindings', body)).status).toBe(200);
    expect(await token(id)).toBe('at for old-rt');
  });

  it('are refreshed at the next use, if the adapter could not be asked when they were saved', async () => {
    gateway.answers(503, { code: 'down' });
    const { id } = await create(four, { adapter_slug: 'acme' });
    expect(await token(id)).toBe('old-at');
    gateway.answers(200, { ok: true, oauth_config: provider.config });
    await until('they are moved', async () => (await token(id)) === 'at for old-rt');
    expect(refreshedWith()).toEqual(['old-rt']);
  });

  it('are given as they are while no token_url is known, and the credential says what to do', async () => {
    const { id, reason } = await create(four);
    expect(reason).toContain('no token_url is known');
    expect(reason).toContain('adapter_slug');
    expect(await token(id)).toBe('old-at');
    expect((await create(four, { adapter_slug: 'without' })).reason).toContain('no token_url is known');
    expect(provider.requests).toEqual([]);
  });

  it('need no access token', async () => {
    const { access_token: _none, ...rest } = four;
    const { id, status } = await create(rest);
    expect(status).toBe('pending');
    await configure(id);
    expect(await token(id)).toBe('at for old-rt');
  });

  it('are handed out without end when there is no refresh token', async () => {
    const { refresh_token: _none, ...rest } = four;
    const { id } = await create(rest);
    expect((await configure(id)).body).toMatchObject({ state: 'active', next_refresh_at: null });
    expect(await token(id)).toBe('old-at');
    expect(provider.requests).toEqual([]);
  });

  it('replace those of a grant that has ended', async () => {
    const { id } = await create(four);
    await configure(id);
    provider.answer(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    expect((await resolve(id)).body).toMatchObject({ code: 'needs_reconnect' });
    provider.answer(() => ({ body: { access_token: 'moved in', expires_in: 3_600 } }));
    await change(id, { access_token: 'another', refresh_token: 'another-rt' });
    expect(await token(id)).toBe('moved in');
    expect(await view(id)).toMatchObject({ status: 'active', reason: null, fields: ['client_id', 'client_secret'] });
  });

  it('win over a refresh that is in flight', async () => {
    const { id } = await create(four);
    await configure(id);
    let release: (answer: TokenAnswerOf) => void = () => undefined;
    provider.answer(() => new Promise((resolved) => (release = resolved)));
    const waiting = resolve(id);
    await until('the refresh is in flight', () => Promise.resolve(provider.requests.length === 1));
    provider.answer(() => ({ body: { access_token: 'of the new ones', expires_in: 3_600 } }));
    await change(id, { access_token: 'new-at', refresh_token: 'new-rt' });
    release({ body: { access_token: 'late', refresh_token: 'late-rt' } });
    await waiting;
    expect(await token(id)).toBe('of the new ones');
    expect(refreshedWith()).toEqual(['old-rt', 'new-rt']);
  });
});
