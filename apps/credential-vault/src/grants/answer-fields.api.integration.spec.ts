import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { fakeTokenEndpoint, type FakeTokenEndpoint, oauthCredential } from '../testing/fake-token-endpoint.js';
import { admin, unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let provider: FakeTokenEndpoint;
let gateway: FakeGateway;

beforeAll(async () => {
  [provider, gateway] = await Promise.all([fakeTokenEndpoint(), fakeGateway()]);
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, GATEWAY_URL: gateway.url });
});
afterAll(async () => {
  await vault?.close();
  await Promise.all([provider?.close(), gateway?.close()]);
});

const brings = (more: object): void =>
  provider.answer(() => ({ body: { access_token: 'at', expires_in: 3_600, ...more } }));
const resolve = (id: string, more: object = {}) =>
  vault.internal('POST', 'credentials/resolve', { credential_id: id, ...more });

/** Lets the next caller refresh. */
const expire = (id: string) =>
  vault.query(
    `UPDATE vault.oauth_grant SET at_expires_at = now() - interval '1 s', obtained_at = now() - interval '1 h',
       refresh_due_at = now() WHERE credential_id = $1`,
    [id],
  );

describe('what a token answer brings besides tokens', () => {
  it('is handed out with the token, stored sealed, and merged by a refresh', async () => {
    brings({
      instance_url: 'https://na1.example',
      region: 'eu',
      hosts: 'evil.example',
      signature: 's',
      team: { id: 1 },
    });
    const id = await oauthCredential(vault, 'merged', provider.config);
    const first = { client_id: 'gatehouse', access_token: 'at', instance_url: 'https://na1.example', region: 'eu' };
    expect((await resolve(id)).body.fields).toEqual(first);
    brings({ region: 'us', shard: 7 });
    await expire(id);
    expect((await resolve(id)).body.fields).toEqual({ ...first, region: 'us', shard: '7' });
    const [row] = await vault.query(
      'SELECT row_to_json(g)::text AS text FROM vault.oauth_grant g WHERE credential_id = $1',
      [id],
    );
    expect(row?.['text']).not.toContain('na1.example');
    expect((await vault.call('GET', `credentials/${id}/oauth`)).body).toMatchObject({
      answer_fields: ['instance_url', 'region', 'shard'],
    });
  });

  it('is read by name, and refused by name when it is not there', async () => {
    brings({ api_domain: 'https://eu.example' });
    const id = await oauthCredential(vault, 'by name', provider.config);
    expect((await resolve(id, { fields: ['api_domain'] })).body.fields).toEqual({ api_domain: 'https://eu.example' });
    expect((await resolve(id, { fields: ['shop'] })).body).toMatchObject({ code: 'unknown_fields' });
  });

  it('goes where a binding says, under its names, and takes no name that the binding gives to another field', async () => {
    brings({ instance_url: 'https://na1.example', api_domain: 'not the token', other: 'x' });
    const id = await oauthCredential(vault, 'bound', provider.config);
    const bind = (consumer_id: string, more: object) =>
      vault.call('POST', `credentials/${id}/bindings`, { consumer_kind: 'app', consumer_id, ...more }, admin);
    const as = async (consumer: string) =>
      (await resolve(id, { consumer: { kind: 'app', id: consumer } })).body.credentials;
    expect((await bind('app_1', { maps_to: { instance_url: 'base', access_token: 'api_domain' } })).status).toBe(201);
    expect(await as('app_1')).toMatchObject({ base: 'https://na1.example', api_domain: 'at', other: 'x' });
    await bind('app_2', { fields: ['access_token', 'other'] });
    expect(await as('app_2')).toEqual({ access_token: 'at', other: 'x' });
    const wrong = await bind('app_3', { fields: ['some_secret'], maps_to: { one: 'same', two: 'same' } });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('fields.0');
  });

  it('is given to the adapter that verifies the credential', async () => {
    brings({ instance_url: 'https://na1.example' });
    const id = await oauthCredential(vault, 'verified', provider.config);
    await vault.call('PATCH', `credentials/${id}`, { adapter_slug: 'acme' });
    const { body } = gateway.calls.filter(({ path }) => path.endsWith('/verify')).at(-1) ?? { body: null };
    expect(body?.credentials).toMatchObject({ access_token: 'at', instance_url: 'https://na1.example' });
  });
});
