import { createAdapterServer, defineAdapter } from '#libs/adapter-sdk';
import { newId } from '#libs/contracts';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;

beforeAll(async () => {
  world = await startGateway();
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`store-${Math.random().toString(36).slice(2, 8)}`, { name: 'Store' });
  await world.call('POST', 'adapters', { url: adapter.url });
});
afterEach(() => adapter.close());

const install = (body: object, slug = adapter.slug) => world.call('POST', `listings/${slug}/install`, body);

describe('a listing', () => {
  it('shows what the adapter needs, its health, and the App that the project has of it', async () => {
    const before = (await world.call('GET', `listings/${adapter.slug}`)).body;
    expect(before).toMatchObject({
      kind: 'adapter',
      name: 'Store',
      credentials: [{ key: 'TOKEN', maps_to: 'token' }],
      adapter: { state: 'ready', version: 'build-1', manifest_version: 1 },
      app_id: null,
    });
    const { id } = (await install({})).body;
    expect((await world.call('GET', `listings/${adapter.slug}`)).body.app_id).toBe(id);
    const { data } = (await world.call('GET', 'listings')).body;
    expect(data[0]).toMatchObject({ slug: 'webhook', kind: 'builtin' });
  });
});

describe('installing', () => {
  it.each([
    [['send', 'receive'], 'Store (bidirectional)', 'bidirectional'],
    [['receive'], 'Store (inbound)', 'inbound'],
    [['send'], 'Store (outbound)', 'outbound'],
  ])('with %j puts the direction into the name', async (capabilities, name, direction) => {
    const { status, body } = await install({ capabilities });
    expect({ status, name: body.name, direction: body.direction }).toEqual({ status: 201, name, direction });
    const renamed = await world.call('PATCH', `apps/${body.id}`, { name: 'Shop' });
    expect(renamed.body.name).toBe(name.replace('Store', 'Shop'));
    const shown = await world.call('GET', `apps/${body.id}`);
    expect(renamed.headers.get('etag')).toMatch(/^"/);
    expect(renamed.headers.get('etag')).toBe(shown.headers.get('etag'));
    const receives = capabilities.includes('receive');
    expect(body.webhook_url?.startsWith('https://gatehouse.example/api/v1/webhooks/') ?? false).toBe(receives);
    const { body: projected } = await world.internal('GET', `endpoints?after=${body.version - 1}`);
    expect(projected.endpoints.find(({ app_id: id }) => id === body.id)?.state).toBe(receives ? 'active' : 'disabled');
  });

  it('happens once per provider and project, even when requested concurrently', async () => {
    const answers = await Promise.all([install({}), install({}), install({})]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)!.body;
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('app_exists');
    expect((await world.call('DELETE', `apps/${made.id}`)).status).toBe(204);
    expect((await install({})).status).toBe(201);
    const builtin = await Promise.all([install({ name: 'A' }, 'webhook'), install({ name: 'B' }, 'webhook')]);
    expect(builtin.map(({ status }) => status)).toEqual([201, 201]);
  });

  it('checks a given credential by maps_to', async () => {
    expect((await install({ credential_id: 'cred_none' })).body.code).toBe('credential_not_found');
    world.vault.credentials.set('cred_wrong', { password: 'x' });
    const wrong = await install({ credential_id: 'cred_wrong' });
    expect(wrong.body).toMatchObject({ code: 'credential_incomplete', errors: [{ field: 'TOKEN' }] });
    world.vault.credentials.set('cred_right', { token: 'x' });
    expect((await install({ credential_id: 'cred_right' })).status).toBe(201);
  });

  it('checks a credential before an App is changed to it', async () => {
    const { id } = (await install({ name: 'C' }, 'webhook')).body;
    const change = (credential_id: string) => world.call('PATCH', `apps/${id}`, { credential_id });
    expect(await change('cred_nowhere')).toMatchObject({
      status: 422,
      body: { code: 'credential_not_found', errors: [{ field: 'credential_id' }] },
    });
    world.vault.credentials.set('cred_there', { signing_secret: 'x' });
    expect(await change('cred_there')).toMatchObject({
      status: 200,
      body: { credentials: [{ key: 'SIGNING_SECRET', credential_id: 'cred_there' }] },
    });
  });

  it('refuses a capability that the adapter does not offer', async () => {
    const sender = await fakeAdapter('sender', { capabilities: ['send'] });
    await world.call('POST', 'adapters', { url: sender.url });
    expect((await install({ capabilities: ['receive'] }, 'sender')).body.code).toBe('capability_not_offered');
    await sender.close();
  });
});

describe('rotating the webhook token', () => {
  it('keeps the old one valid for the grace period, and only one old token at a time', async () => {
    const app = (await install({})).body;
    const endpoint = async () => {
      const { body } = await world.internal('GET', 'endpoints?after=0');
      const found = body.endpoints.find(({ app_id: id }) => id === app.id);
      if (!found) throw new Error('the App has no endpoint');
      return found;
    };
    const first = (await endpoint()).token_hash;
    const askedAt = Date.now();
    const rotated = (await world.call('POST', `apps/${app.id}/rotate-token`, { grace_seconds: 60 })).body;
    const answeredAt = Date.now();
    expect(rotated.webhook_token).not.toBe(app.webhook_token);
    const { previous_token: previous, retired_token_hashes: none } = await endpoint();
    expect([previous?.hash, none]).toEqual([first, []]);
    const until = Date.parse(previous?.until ?? '');
    expect([until >= askedAt + 60_000, until <= answeredAt + 60_000]).toEqual([true, true]);
    const second = (await endpoint()).token_hash;
    await world.call('POST', `apps/${app.id}/rotate-token`, { grace_seconds: 0 });
    expect(await endpoint()).toMatchObject({ previous_token: null, retired_token_hashes: [first, second] });
  });
});

describe('a shipped adapter', () => {
  const manifest = {
    schema_version: '1.0',
    name: 'Parcels',
    description: 'Of the installation itself.',
    category: 'Integration',
    capabilities: ['receive' as const],
    credentials: [],
  };
  const shipped = (slug: string) =>
    defineAdapter({
      manifest: { ...manifest, slug },
      verify: () => ({ ok: true, user: 'x' }),
      verifyWebhook: () => ({ ok: true, scheme: 'none' }),
      parseInbound: () => ({ event_type: 'ping', sender: 's', message: '', is_bot: false }),
    });
  const elsewhere = { projectId: newId('prj') };
  let host: ReturnType<typeof createAdapterServer>;
  let gateways: GatewayWorld;

  beforeAll(async () => {
    host = createAdapterServer([shipped('parcels'), shipped('letters')], { version: 'b1' });
    gateways = await startGateway({ ADAPTERS_URL: await host.listen({ port: 0, host: '127.0.0.1' }) });
  });
  afterAll(async () => {
    await gateways.close();
    await host.close();
  });

  const slugs = async (as = {}) =>
    (await gateways.call('GET', 'listings', undefined, as)).body.data.map((one) => one.slug);

  it('can be installed without its address, which registers it in that project only', async () => {
    expect(await slugs()).toEqual(['webhook', 'parcels', 'letters']);
    const { body: offered } = await gateways.call('GET', 'listings/parcels');
    expect(offered).toMatchObject({ kind: 'adapter', name: 'Parcels', adapter: null, app_id: null });
    expect((await gateways.call('GET', 'adapters')).body.data).toEqual([]);

    const answers = await Promise.all([1, 2].map(() => gateways.call('POST', 'listings/parcels/install', {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { data: adapters } = (await gateways.call('GET', 'adapters')).body;
    expect(adapters).toMatchObject([{ slug: 'parcels', state: 'ready' }]);
    expect(await slugs()).toEqual(['webhook', 'parcels', 'letters']);
    const { body: installed } = await gateways.call('GET', 'listings/parcels');
    expect(installed).toMatchObject({
      adapter: { id: adapters[0]?.id },
      app_id: answers.find(({ status }) => status === 201)?.body.id,
    });

    expect((await gateways.call('GET', 'listings/parcels', undefined, elsewhere)).body.adapter).toBeNull();
  });

  it('is no longer offered when its server is away, and hides no other', async () => {
    const away = await startGateway({ ADAPTERS_URL: 'http://127.0.0.1:9' });
    const { status, body } = await away.call('GET', 'listings');
    expect({ status, slugs: body.data.map(({ slug }) => slug) }).toEqual({ status: 200, slugs: ['webhook'] });
    await away.close();
  });
});
