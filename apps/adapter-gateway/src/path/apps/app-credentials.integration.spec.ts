import { until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

const declared = [
  { key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' },
  { key: 'HOOK', type: 'text', label: 'Webhook secret', maps_to: 'signing_secret' },
  { key: 'BOT', type: 'api_key', label: 'Bot token', maps_to: 'bot_token', required: false },
];

describe('the credentials of an App', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let made = 0;

  beforeAll(async () => {
    world = await startGateway();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    adapter = await fakeAdapter(`linked-${(made += 1)}`, { credentials: [...declared] });
    adapter.routes['verify'] = () => ({ ok: true, user: 'ada' });
    await world.call('POST', 'adapters', { url: adapter.url });
    give('oauth', { client_id: 'c', access_token: 'at', refresh_token: 'rt' }, 'oauth2');
    give('hook', { signing_secret: 's', note: 'n' });
    give('bot', { token: 'b' }, 'api_key');
  });
  afterEach(() => adapter.close());

  /** A credential of the test's own; its id. */
  const idOf = (name: string): string => `cred_${name}_${made}`;
  const give = (name: string, fields: Record<string, string>, type: 'api_key' | 'text' | 'oauth2' = 'text') => {
    world.vault.credentials.set(idOf(name), fields);
    world.vault.types.set(idOf(name), type);
  };
  const install = (body: object) => world.call('POST', `listings/${adapter.slug}/install`, body);
  const all = () => ({ ACCOUNT: idOf('oauth'), HOOK: idOf('hook'), BOT: idOf('bot') });
  const boundTo = (appId: string): string[] => [...(world.vault.bound.get(appId) ?? [])].sort();
  const verify = async (id: string) => (await world.call('POST', `apps/${id}/verify`)).body;

  it('have one record for each declaration, bound before any call, and are all released with the first one', async () => {
    const { status, body } = await install({ credentials: all() });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      missing: [],
      credentials: [
        { key: 'ACCOUNT', maps_to: 'access_token', required: true, credential_id: idOf('oauth'), status: 'active' },
        { key: 'HOOK', credential_id: idOf('hook') },
        { key: 'BOT', required: false, credential_id: idOf('bot') },
      ],
    });
    expect(boundTo(body.id)).toEqual(Object.values(all()).sort());
    world.vault.asked.length = 0;
    expect(await verify(body.id)).toMatchObject({ ok: true, user: 'ada' });
    expect(adapter.calls.find(({ route }) => route === 'verify')).toEqual({
      route: 'verify',
      body: {
        credentials: {
          client_id: 'c',
          access_token: 'at',
          refresh_token: 'rt',
          signing_secret: 's',
          note: 'n',
          token: 'b',
          bot_token: 'b',
        },
      },
    });
    expect(new Set(world.vault.asked)).toEqual(new Set(['POST /internal/credentials/resolve']));
  });

  it('may be linked after the installation: the App and Verify name what is missing', async () => {
    give('oauth', { client_id: 'c' }, 'oauth2');
    const { status, body } = await install({});
    expect({ status, missing: body.missing }).toEqual({ status: 201, missing: ['ACCOUNT', 'HOOK'] });
    const refused = await verify(body.id);
    expect(refused).toMatchObject({ ok: false, code: 'missing_credentials', missing: ['ACCOUNT', 'HOOK'] });
    expect(refused.error).toContain('Webhook secret (HOOK) is missing. Link a credential of type text');
    expect(adapter.bodiesOf('verify')).toEqual([]);
    const change = (credentials: object) => world.call('PATCH', `apps/${body.id}`, { credentials });
    const changed = await change({ ACCOUNT: idOf('oauth'), HOOK: idOf('hook') });
    expect(changed.body).toMatchObject({
      missing: ['ACCOUNT'],
      credentials: [{ status: 'pending', missing_fields: ['access_token'] }, {}, { credential_id: null }],
    });
    expect((await verify(body.id)).error).toContain('is pending. Connect it');
    give('oauth', { client_id: 'c', access_token: 'at' }, 'oauth2');
    expect(await verify(body.id)).toMatchObject({ ok: true });
    // The next call has what is linked now, however soon it comes.
    give('second', { signing_secret: 's2' });
    await change({ HOOK: idOf('second') });
    await verify(body.id);
    expect(adapter.calls.findLast(({ route }) => route === 'verify')?.body.credentials).toMatchObject({
      signing_secret: 's2',
    });
    const unlinked = await change({ HOOK: null });
    expect(unlinked.body.missing).toEqual(['HOOK']);
    expect(boundTo(body.id)).toEqual([idOf('oauth')]);
    world.vault.credentials.delete(idOf('oauth'));
    expect((await world.call('GET', `apps/${body.id}`)).body.credentials[0]).toMatchObject({ status: 'gone' });
    const { body: list } = await world.call('GET', 'apps');
    expect(list.data.find(({ id }) => id === body.id)?.missing).toEqual(['ACCOUNT', 'HOOK']);
  });

  it('are refused field by field where a record does not fit', async () => {
    give('mail', { host: 'h', port: '25' });
    adapter.manifest.credentials.push({
      key: 'TOPIC',
      type: 'text',
      label: 'Topic',
      maps_to: 'topic',
      required: false,
    });
    const { data } = (await world.call('GET', 'adapters')).body;
    const id = data.find(({ slug }) => slug === adapter.slug)?.id;
    const { version } = (await world.call('POST', `adapters/${id}/refresh`, {})).body;
    await world.call('POST', `adapters/${id}/versions/${version.number}/approve`);
    const { status, body } = await install({
      credentials: { ACCOUNT: idOf('bot'), HOOK: idOf('mail'), BOT: 'cred_nowhere', OTHER: idOf('bot') },
    });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'credential_type_mismatch' });
    expect(body.errors).toEqual([
      { field: 'credentials.ACCOUNT', message: 'is of type api_key, but Account needs one of type oauth2' },
      { field: 'credentials.HOOK', message: 'has no field signing_secret for Webhook secret' },
      { field: 'credentials.BOT', message: 'there is no credential cred_nowhere in this project' },
      { field: 'credentials.OTHER', message: 'is not declared. Declared: ACCOUNT, HOOK, BOT, TOPIC' },
    ]);
    const shapes = await install({ credentials: { ACCOUNT: 5 } });
    expect(shapes.status).toBe(422);
  });

  it('are not accepted where the manifest declares none', async () => {
    const bare = await fakeAdapter(`bare-${made}`, { credentials: [] });
    try {
      await world.call('POST', 'adapters', { url: bare.url });
      const body = { credential_id: idOf('hook') };
      const refused = await world.call('POST', `listings/${bare.slug}/install`, body);
      expect(refused).toMatchObject({ status: 422, body: { code: 'credential_not_declared' } });
      expect(refused.body.detail).toContain('declares no credentials');
      expect((await world.call('POST', `listings/${bare.slug}/install`, {})).status).toBe(201);
    } finally {
      await bare.close();
    }
  });

  it('go to every declaration that they fill when one record is given for all', async () => {
    const { body } = await install({ credential_id: idOf('hook'), credentials: { BOT: idOf('bot') } });
    const filled = body.credentials.map(({ credential_id: id }) => id);
    expect(filled).toEqual([null, idOf('hook'), idOf('bot')]);
    const none = await world.call('PATCH', `apps/${body.id}`, { credential_id: null });
    expect(none.body.missing).toEqual(['ACCOUNT', 'HOOK']);
    expect(boundTo(body.id)).toEqual([]);
  });

  it('are all kept when two concurrent requests link different ones', async () => {
    const { id } = (await install({})).body;
    await Promise.all(
      Object.entries(all()).map(([key, credential]) =>
        world.call('PATCH', `apps/${id}`, { credentials: { [key]: credential } }),
      ),
    );
    const { body } = await world.call('GET', `apps/${id}`);
    expect(body.credentials.map(({ credential_id: of }) => of)).toEqual(Object.values(all()));
    await until('the vault knows all of them', () => boundTo(id).length === 3);
  });

  it('are released when the App is retired', async () => {
    const { id } = (await install({ credentials: all() })).body;
    await world.call('DELETE', `apps/${id}`);
    expect(boundTo(id)).toEqual([]);
  });

  it('are announced again after the vault was away or lost a binding, and never change only in part', async () => {
    const { id } = (await install({ credentials: all() })).body;
    give('next', { signing_secret: 'z' });
    world.vault.down = true;
    const refused = await world.call('PATCH', `apps/${id}`, { credentials: { HOOK: idOf('next') } });
    expect(refused.status).toBe(503);
    world.vault.down = false;
    expect((await world.call('GET', `apps/${id}`)).body.credentials[1]?.credential_id).toBe(idOf('hook'));
    world.vault.bound.delete(id);
    expect(await verify(id)).toMatchObject({ ok: true });
    expect(boundTo(id)).toEqual(Object.values(all()).sort());
    // Left behind by a process that died after it informed the vault and before it wrote the row.
    world.vault.bound.get(id)?.add(idOf('next'));
    await world.pool.query('UPDATE gateway.app SET bindings_due_at = now() WHERE id = $1', [id]);
    await until('the sweep informed the vault', () => !boundTo(id).includes(idOf('next')));
  });

  it('reach an adapter that the vault asks about one record, by its names and with the other ones of the App', async () => {
    const ask = (credential_id: string, credential_type: string, credentials: object) =>
      world.internal('POST', 'adapter-calls/verify', {
        adapter_slug: adapter.slug,
        credentials,
        credential_type,
        credential_id,
      });
    await ask(idOf('bot'), 'api_key', { token: 'b' });
    expect(adapter.calls.at(-1)?.body.credentials).toEqual({ token: 'b', bot_token: 'b' });
    await install({ credentials: all() });
    await ask(idOf('oauth'), 'oauth2', { client_id: 'c', access_token: 'fresh' });
    expect(adapter.calls.findLast(({ route }) => route === 'verify')?.body.credentials).toMatchObject({
      access_token: 'fresh',
      signing_secret: 's',
      bot_token: 'b',
    });
  });
});

describe('the endpoint of an App', () => {
  it('is checked with fields that the vault hears of before the ingress asks for them', async () => {
    const world = await startGateway();
    const webhook = { verification: { scheme: 'hmac', secret_fields: ['signing_secret'] } };
    const adapter = await fakeAdapter('told', { credentials: declared, webhook });
    const { id } = (await world.call('POST', 'adapters', { url: adapter.url })).body;
    world.vault.credentials
      .set('s', { signing_secret: 'a secret x' })
      .set('b', { token: 'x', webhook_secret: 'a secret y' });
    world.vault.types.set('b', 'api_key');
    const credentials = { HOOK: 's', BOT: 'b' };
    const app = (await world.call('POST', 'listings/told/install', { credentials })).body;
    const signing = (of: string, ...ids: string[]) => ids.map((one) => world.vault.signing.get(`${of} ${one}`));
    expect(signing(app.id, 's', 'b')).toEqual([null, ['signing_secret']]);

    webhook.verification.secret_fields = ['webhook_secret'];
    const { version } = (await world.call('POST', `adapters/${id}/refresh`, {})).body;
    await world.call('POST', `adapters/${id}/versions/${version.number}/approve`);
    await until('the vault knows', () => signing(app.id, 'b')[0]?.includes('webhook_secret'));
    expect(signing(app.id, 's', 'b')).toEqual([['webhook_secret'], ['webhook_secret']]);

    const direct = (await world.call('POST', 'apps', { kind: 'builtin', name: 'Direct', credential_id: 's' })).body;
    expect(signing(direct.id, 's')).toEqual([[]]);
    const change = (body: object) => world.call('PATCH', `apps/${direct.id}`, body);
    world.vault.down = true;
    expect((await change({ signature: { scheme: 'hmac' } })).status).toBe(503);
    expect((await world.call('GET', `apps/${direct.id}`)).body.signature).toBeNull();
    world.vault.down = false;
    world.vault.signing.clear();
    expect((await change({ signature: { scheme: 'hmac' } })).status).toBe(200);
    expect(signing(direct.id, 's')).toEqual([null]);
    await change({ signature_off: true });
    expect(signing(direct.id, 's')).toEqual([[]]);
    await adapter.close();
    await world.close();
  });

  it('names the records that signatures are checked with, and no account that is connected by consent', async () => {
    const world = await startGateway();
    const webhook = { verification: { scheme: 'hmac', secret_fields: ['signing_secret'] } };
    const adapter = await fakeAdapter('signed', { credentials: declared, webhook });
    await world.call('POST', 'adapters', { url: adapter.url });
    world.vault.credentials.set('o', { client_id: 'c' }).set('s', { signing_secret: 'a secret x' });
    world.vault.types.set('o', 'oauth2');
    const { body } = await world.call('POST', 'listings/signed/install', { credentials: { ACCOUNT: 'o', HOOK: 's' } });
    const { endpoints } = (await world.internal('GET', `endpoints?after=${body.version - 1}`)).body;
    expect(endpoints[0]?.credentials).toEqual([
      { key: 'HOOK', type: 'text', maps_to: 'signing_secret', credential_id: 's' },
    ]);
    await adapter.close();
    await world.close();
  });
});
