import { home, until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter, type FakeManifest } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, sendJson } from '../../testing/http-server.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let id: string;

beforeAll(async () => {
  world = await startGateway();
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`fake-${Math.random().toString(36).slice(2, 8)}`, {
    oauth_config: { token_url: 'https://provider.example/token', scopes: ['read'] },
  });
  const { status, body } = await world.call('POST', 'adapters', { url: adapter.url });
  expect({ status, state: body.state, version: body.version }).toEqual({
    status: 201,
    state: 'ready',
    version: 'build-1',
  });
  id = body.id;
});
afterEach(() => adapter.close());

const inForce = async () => (await world.call('GET', `adapters/${id}`)).body;
const refresh = async () => (await world.call('POST', `adapters/${id}/refresh`, {})).body;

describe('a refreshed manifest', () => {
  it('is in force at once when only texts differ, and is kept as a version', async () => {
    adapter.manifest.description = 'Better words.';
    Object.assign(adapter.manifest.credentials[0] ?? {}, { label: 'The token' });
    expect(await refresh()).toMatchObject({ pending: false, version: { number: 2 }, adapter: { manifest_version: 2 } });
    expect((await inForce()).manifest.description).toBe('Better words.');
    const { body } = await world.call('GET', `adapters/${id}/versions`);
    expect(body.data.map(({ number, manifest }) => [number, manifest.description])).toEqual([
      [2, 'Better words.'],
      [1, 'A provider of the tests.'],
    ]);
  });

  it.each<[string, (manifest: FakeManifest) => void, string]>([
    [
      'maps_to',
      ({ credentials }) => Object.assign(credentials[0] ?? {}, { maps_to: 'other' }),
      '/credentials/0/maps_to',
    ],
    [
      'a URL',
      (manifest) => Object.assign(manifest.oauth_config ?? {}, { token_url: 'https://evil.example/' }),
      '/oauth_config/token_url',
    ],
    ['a scope', (manifest) => manifest.oauth_config?.scopes.push('write'), '/oauth_config/scopes/1'],
    ['a capability', (manifest) => manifest.capabilities.pop(), '/capabilities/1'],
    ['a URL anywhere', (manifest) => (manifest.author = { name: 'x', url: 'https://x.example' }), '/author/url'],
    ['a name that looks like a path', (manifest) => (manifest['/oauth_config/token_url'] = 'https://x.example'), '/~1'],
  ])('that changes %s does nothing until it is approved, and can be rolled back', async (_what, change, path) => {
    const before = (await inForce()).manifest;
    change(adapter.manifest);
    const { pending, version } = await refresh();
    expect(pending).toBe(true);
    expect(version.differences).toContainEqual(
      expect.objectContaining({ path: expect.stringContaining(path), needs_approval: true }),
    );
    expect((await inForce()).manifest).toEqual(before);
    expect((await refresh()).version.number).toBe(2);

    expect((await world.call('POST', `adapters/${id}/roll-back`, { version: 2 })).body.code).toBe('never_in_force');
    const approved = await world.call('POST', `adapters/${id}/versions/2/approve`);
    expect(approved.body.manifest).toEqual(adapter.manifest);
    const stored = await world.call('GET', `adapters/${id}/versions/2`);
    expect(stored.body).toMatchObject({ approved_by: 'key:test', manifest: adapter.manifest });
    const back = await world.call('POST', `adapters/${id}/roll-back`, { version: 1 });
    expect(back.body).toMatchObject({ manifest_version: 1, manifest: before });
    expect(await refresh()).toMatchObject({ pending: true, version: { number: 2 } });
  });

  it('gives the vault its OAuth configuration only after approval', async () => {
    const ask = async () =>
      (await world.internal('GET', `oauth-providers/${adapter.slug}?organization_id=${home.organizationId}`)).body;
    adapter.manifest.oauth_config?.scopes.push('write');
    await refresh();
    expect(await ask()).toEqual({
      slug: adapter.slug,
      manifest_version: 1,
      oauth_config: { token_url: 'https://provider.example/token', scopes: ['read'] },
    });
    await world.call('POST', `adapters/${id}/versions/2/approve`);
    expect(await ask()).toMatchObject({ manifest_version: 2, oauth_config: { scopes: ['read', 'write'] } });
    const other = await world.internal('GET', `oauth-providers/${adapter.slug}?organization_id=org_other`);
    expect(other.status).toBe(404);
  });

  it('makes the ingress read the endpoints of its Apps again', async () => {
    const app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body;
    adapter.manifest.webhook = { verification: 'none' };
    await refresh();
    const endpoint = async () => {
      const { body } = await world.internal('GET', `endpoints?after=${app.version}`);
      return body.endpoints.find(({ app_id }) => app_id === app.id) ?? null;
    };
    expect(await endpoint()).toBeNull();
    await world.call('POST', `adapters/${id}/versions/2/approve`);
    expect(await endpoint()).toMatchObject({ verification: 'none' });
  });

  it('is not accepted under another slug, nor by another project', async () => {
    adapter.manifest.slug = 'another';
    expect((await world.call('POST', `adapters/${id}/refresh`, {})).body.code).toBe('slug_mismatch');
    const stranger = await world.call('GET', `adapters/${id}`, undefined, { projectId: 'prj_other' });
    expect(stranger.status).toBe(404);
  });
});

describe('registering', () => {
  it('refuses an adapter whose slug differs from its path or from that of its health', async () => {
    const other = await fakeAdapter('elsewhere');
    other.manifest.slug = 'not-elsewhere';
    expect((await world.call('POST', 'adapters', { url: other.url })).body.code).toBe('slug_mismatch');
    other.manifest.slug = 'elsewhere';
    other.health.adapter = 'who';
    expect((await world.call('POST', 'adapters', { url: other.url })).body.code).toBe('slug_mismatch');
    await other.close();
  });

  it.each<[string, Record<string, unknown>]>([
    ['U+0000', { description: 'a\u0000b' }],
    ['too many levels', { extra: JSON.parse('['.repeat(60) + ']'.repeat(60)) }],
    ['a credential without maps_to', { credentials: [{ key: 'A', type: 'text' }] }],
    ['null as a credential', { credentials: [null] }],
    ['no slug', { slug: undefined }],
    ['a number as its slug', { slug: 5 }],
  ])('refuses a manifest with %s', async (_what, change) => {
    const other = await fakeAdapter('invalid', change);
    const { status, body } = await world.call('POST', 'adapters', { url: other.url });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_manifest' });
    await other.close();
  });

  it('names every manifest field of a wrong type, and the supported schema versions', async () => {
    const other = await fakeAdapter('wrong', {
      schema_version: '2.0',
      icon: 5,
      setup_instructions: 'do it',
      author: 'Ann',
      skill: { name: 'S', knowledge: 'k', tool_names: 'send_email' },
      webhook: { handshake: { method: 'PUT', match: {}, respond: 'echo' }, ack: { status: 404 } },
      extra: 5,
    });
    const { status, body } = await world.call('POST', 'adapters', { url: other.url });
    expect(status).toBe(422);
    expect(Object.fromEntries(body.errors.map(({ field, message }) => [field, message]))).toEqual({
      schema_version: 'must be one of 1.0, not a text',
      icon: 'must be a text, not a whole number',
      setup_instructions: 'must be a list of texts, not a text',
      author: 'must be an object, not a text',
      'skill.tool_names': 'must be a list of texts that are not empty, not a text',
      'webhook.handshake.method': 'must be one of GET, POST, not a text',
      'webhook.handshake.match': 'must have one of query, pointer and header',
      'webhook.handshake.respond': 'must be "adapter", or an object, not a text',
      'webhook.ack.status': 'must be a whole number of at least 200 and at most 299, not a whole number',
    });
    await other.close();
  });

  it('refuses a URL that no adapter answers, or that may not be reached, with the reason', async () => {
    const page = await httpServer((_path, _body, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    const { status, body } = await world.call('POST', 'adapters', { url: `${page.url}/page` });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'adapter_unreachable' });
    await page.close();
    expect((await world.call('POST', 'adapters', { url: 'http://10.0.0.1/x' })).body.detail).toContain(
      'GATEHOUSE_EGRESS_ALLOW',
    );
  });

  it('accepts a skill without an adapter, which has no App', async () => {
    const manifest = {
      schema_version: '1.0',
      slug: 'just-words',
      name: 'Words',
      description: 'Knows things.',
      category: 'productivity',
      skill: { name: 'Words', knowledge: 'Be kind.' },
    };
    const { status, body } = await world.call('POST', 'adapters', { manifest });
    expect({ status, url: body.base_url, state: body.state }).toEqual({ status: 201, url: null, state: 'ready' });
    expect((await world.call('GET', 'listings/just-words')).body).toMatchObject({ kind: 'skill', capabilities: [] });
    expect((await world.call('POST', 'listings/just-words/install', {})).body.code).toBe('skill_only');
    const changed = { manifest: { ...manifest, description: 'Knows more.' } };
    expect((await world.call('POST', `adapters/${body.id}/refresh`, changed)).body).toMatchObject({ pending: false });
  });
});

describe('health', () => {
  it('is unready at every status but ready, and is shown with build and latency', async () => {
    adapter.health = { ...adapter.health, status: 'starting', version: 'build-2' };
    const unready = await until('it is not ready', async () => {
      const row = await inForce();
      return row.state === 'unready' ? row : null;
    });
    expect(unready).toMatchObject({ state_reason: 'status is "starting"', version: 'build-2' });
    adapter.health.status = 'ready';
    await until('it is ready again', async () => (await inForce()).state === 'ready');
    expect((await inForce()).latency_ms).toBeGreaterThan(0);
  });

  it('is requested with the owner of the adapter, and an answer without its fields is shown', async () => {
    const asked: unknown[] = [];
    adapter.routes['health'] = (_body, _response, { headers }) => {
      asked.push([headers['x-organization-id'], headers['x-project-id']]);
      return { ...adapter.health, version: 5 };
    };
    await until('it was asked', () => asked.length > 0);
    expect(asked[0]).toEqual([home.organizationId, home.projectId]);
    await until('the page shows it', async () =>
      (await inForce()).violation?.startsWith('/health: version must be a text'),
    );
  });

  it.each([undefined, null, '', ' ', 5, '\u200b\u2060', '\0'])(
    'is not ready while its version is %j (spec 2.3)',
    async (version) => {
      adapter.routes['health'] = () => ({ ...adapter.health, version });
      const row = await until('it is not ready', async () => {
        const now = await inForce();
        return now.state === 'unready' ? now : null;
      });
      expect(row.state_reason).toMatch(/^version is .*, not a build identifier/);
      adapter.routes['health'] = () => adapter.health;
      await until('it is ready again', async () => (await inForce()).state === 'ready');
    },
  );

  it('shows a version without the characters that cannot be seen or stored', async () => {
    adapter.routes['health'] = () => ({ ...adapter.health, version: ' v\u202e2\0\ud800 ' });
    await until('it is shown', async () => (await inForce()).version === 'v2\ufffd');
    expect((await inForce()).state).toBe('ready');
    adapter.routes['health'] = () => adapter.health;
    await until('it is the former one again', async () => (await inForce()).version === adapter.health.version);
  });

  it('is polled less often the longer it is unready', async () => {
    const polls: number[] = [];
    adapter.routes['health'] = (_body, response) => {
      polls.push(Date.now());
      sendJson(response, { no: 'health' }, 500);
    };
    await until('it was asked five times', () => polls.length >= 5);
    expect(polls[4]! - polls[3]!).toBeGreaterThanOrEqual(390);
    expect((await inForce()).failed_polls).toBeGreaterThanOrEqual(4);
  });

  it('of more than HEALTH_DAYS days ago is deleted', async () => {
    await world.pool.query(
      `INSERT INTO gateway.adapter_health (adapter_id, minute, polls, ready, latency_sum_ms, latency_max_ms)
       SELECT $1, now() - make_interval(days => days, mins => 5), 1, 1, 1, 1 FROM unnest('{13,14}'::int[]) days`,
      [id],
    );
    const first = async () => (await world.call('GET', `adapters/${id}/health?hours=400&step=hour`)).body.series[0]?.at;
    const before = await first();
    await world.app.get(AdapterRepository, { strict: false }).forgetHealth(14);
    expect(Date.parse(String(await first())) - Date.parse(String(before))).toBe(86_400_000);
  });
});

describe('the API description', () => {
  it('has every route of the portal, its listings and its sources', async () => {
    const answer = await fetch(`${await world.app.getUrl()}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { operationId?: string }>> };
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        'refreshAdapter',
        'approveManifestVersion',
        'rollBackAdapter',
        'installListing',
        'syncSource',
        'listSyncRuns',
        'readSourceDocument',
      ]),
    );
    expect(operations).not.toContain(undefined);
  });
});
