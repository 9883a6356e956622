import { until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../../testing/http-server.js';
import { fakeAdapter } from '../../testing/fake-adapter.js';

interface Announcement {
  method: string;
  path: string;
  slug: string;
  knowledge?: string;
  credentials?: { credential_id: string; as: string; hosts?: string[] }[];
  names?: string[];
}

describe('the Skill of a manifest', () => {
  let world: GatewayWorld;
  let registry: TestServer;
  /** Status that the registry answers for a slug; 200 if not set. */
  const statuses = new Map<string, number>();
  const codes = new Map<string, string>();
  const announcements: Announcement[] = [];

  beforeAll(async () => {
    registry = await httpServer((path, body, response, { method = '' }) => {
      const { manifest, ...app } = body === '' ? {} : JSON.parse(body);
      const slug = manifest?.slug ?? path.split('/')[4];
      announcements.push({ method, path, slug, ...(manifest ? { knowledge: manifest.skill.knowledge } : {}), ...app });
      const status = statuses.get(slug) ?? 200;
      const answer =
        status === 200 ? { skill_id: `skl_${slug}` } : { code: codes.get(slug) ?? 'refused', detail: 'not so' };
      sendJson(response, answer, status);
    });
    world = await startGateway({ MCP_REGISTRY_URL: registry.url });
  });
  afterAll(async () => {
    await world.close();
    await registry.close();
  });

  const words = (slug: string, knowledge = 'Be kind.') => ({
    schema_version: '1.0',
    slug,
    name: 'Words',
    description: 'Knows things.',
    category: 'productivity',
    skill: { name: 'Words', knowledge },
  });
  const register = async (body: object): Promise<string> => (await world.call('POST', 'adapters', body)).body.id;
  const announcementsOf = (slug: string) => announcements.filter((one) => one.slug === slug);
  const settled = (id: string, version: number) =>
    until('the registry was informed', async () => {
      const { rows } = await world.pool.query('SELECT skill_announced FROM gateway.adapter WHERE id = $1', [id]);
      return rows[0].skill_announced === version;
    });

  it('is announced once for each manifest that comes into force, with or without an adapter', async () => {
    const adapter = await fakeAdapter('knowing', { skill: { name: 'Knowing', knowledge: 'Ask twice.' } });
    const [id, bare] = [await register({ url: adapter.url }), await register({ manifest: words('bare') })];
    await Promise.all([settled(id, 1), settled(bare, 1)]);
    const path = '/internal/skills/manifest';
    expect(announcements).toMatchObject([
      { path, slug: 'knowing', knowledge: 'Ask twice.', credentials: [], names: ['TOKEN'] },
      { path, slug: 'bare', knowledge: 'Be kind.', credentials: [] },
    ]);
    await world.call('POST', `adapters/${bare}/refresh`, { manifest: words('bare', 'Be brief.') });
    const { body } = await world.call('GET', `adapters/${bare}`);
    if (body.manifest_version === 1) await world.call('POST', `adapters/${bare}/versions/2/approve`, {});
    await settled(bare, 2);
    expect(announcementsOf('bare').map(({ knowledge }) => knowledge)).toEqual(['Be kind.', 'Be brief.']);
    await adapter.close();
  });

  const shown = (id: string, state: string) =>
    until(`the adapter shows it as ${state}`, async () => {
      const { skill } = (await world.call('GET', `adapters/${id}`)).body;
      return skill?.state === state ? skill : null;
    });

  it('is shown on its adapter: waiting, created, or why not and what to do', async () => {
    const plain = await fakeAdapter('plain');
    expect((await world.call('POST', 'adapters', { url: plain.url })).body.skill).toBeNull();
    await plain.close();
    statuses.set('clash', 409);
    codes.set('clash', 'slug_taken');
    const registered = await world.call('POST', 'adapters', { manifest: words('clash') });
    expect(registered.body.skill).toMatchObject({ state: 'waiting', version: 1 });
    const { id } = registered.body;
    expect(await shown(id, 'failed')).toMatchObject({
      version: 1,
      code: 'slug_taken',
      error: 'not so',
      failures: 1,
      next_try_at: null,
      since: expect.stringMatching(/Z$/),
      what_to_do: expect.stringMatching(/refresh the adapter/),
    });
    statuses.set('clash', 200);
    await world.call('POST', `adapters/${id}/refresh`, { manifest: words('clash') });
    expect(await shown(id, 'made')).toMatchObject({ skill_id: 'skl_clash', error: null, since: null });
  });

  it('is retried with pauses while the registry is away, and its adapter shows that', async () => {
    statuses.set('away', 500);
    const id = await register({ manifest: words('away') });
    const first = await shown(id, 'failed');
    expect(Date.parse(first.next_try_at ?? '')).toBeGreaterThan(Date.parse(first.since ?? ''));
    expect(first.what_to_do).toBeNull();
    const later = await until('it failed twice', async () => {
      const { skill } = (await world.call('GET', `adapters/${id}`)).body;
      return skill && skill.failures >= 2 ? skill : null;
    });
    expect(later.since).toBe(first.since);
    statuses.set('away', 200);
    expect(await shown(id, 'made')).toMatchObject({ failures: 0, code: null });
  });

  it('is announced again while the registry is away, and not after a refusal', async () => {
    statuses.set('later', 503);
    const later = await register({ manifest: words('later') });
    await until('it was announced twice', () => announcementsOf('later').length >= 2);
    statuses.set('later', 200);
    await settled(later, 1);
    statuses.set('taken', 409);
    await settled(await register({ manifest: words('taken') }), 1);
    expect(announcementsOf('taken')).toHaveLength(1);
  });

  it('shares the credentials of its App, except those that webhooks are checked with, and follows their changes', async () => {
    const credentials = [
      { key: 'ACCOUNT', type: 'text', label: 'Account', maps_to: 'token' },
      { key: 'HOOK', type: 'text', label: 'Secret', maps_to: 'signing_secret', required: false },
    ];
    const adapter = await fakeAdapter('sharing', { credentials, skill: { name: 'Sharing', knowledge: 'Ask.' } });
    const id = await register({ url: adapter.url });
    await settled(id, 1);
    world.vault.credentials.set('c1', { token: 'x' }).set('c2', { token: 'y' }).set('s', { signing_secret: 'z' });
    const announced = (what: (one: Announcement) => boolean) =>
      until('the registry was informed', () => {
        const last = announcementsOf('sharing').at(-1);
        return last && what(last) ? last : null;
      });
    const install = { credentials: { ACCOUNT: 'c1', HOOK: 's' } };
    const { id: app } = (await world.call('POST', 'listings/sharing/install', install)).body;
    const names = ['ACCOUNT', 'HOOK'];
    const path = '/internal/skills/manifest/sharing/credentials';
    expect(await announced(({ credentials: given }) => given?.length === 1)).toEqual({
      method: 'PUT',
      path,
      slug: 'sharing',
      credentials: [{ credential_id: 'c1', as: 'ACCOUNT' }],
      names,
    });
    await world.call('PATCH', `apps/${app}`, { credentials: { ACCOUNT: 'c2' } });
    await announced(({ credentials: given }) => given?.[0]?.credential_id === 'c2');
    await world.call('DELETE', `apps/${app}`);
    expect(await announced(({ credentials: given }) => given?.length === 0)).toMatchObject({ method: 'PUT', names });
    // The Skill is removed for a manifest without a skill, and for an adapter that is gone.
    delete adapter.manifest['skill'];
    await world.call('POST', `adapters/${id}/refresh`, {});
    expect(await announced(({ method }) => method === 'DELETE')).toMatchObject({
      path: '/internal/skills/manifest/sharing',
    });
    adapter.manifest['skill'] = { name: 'Sharing', knowledge: 'Ask again.' };
    await world.call('POST', `adapters/${id}/refresh`, {});
    await announced(({ knowledge }) => knowledge === 'Ask again.');
    await settled(id, 3);
    statuses.set('sharing', 503);
    expect((await world.call('DELETE', `adapters/${id}`)).status).toBe(204);
    await announced(({ method }) => method === 'DELETE');
    statuses.delete('sharing');
    await until('the registry accepted it', async () => {
      const { rowCount } = await world.pool.query('SELECT 1 FROM gateway.skill_removal');
      return rowCount === 0;
    });
    await adapter.close();
  });

  it('says where its credentials may go as the manifest in force declares, once that is approved', async () => {
    const declared = (hosts?: string[]) => [
      { key: 'ACCOUNT', type: 'text', label: 'Account', maps_to: 'token', ...(hosts ? { hosts } : {}) },
    ];
    const skill = { name: 'Reaching', knowledge: 'Ask.' };
    const adapter = await fakeAdapter('reaching', { credentials: declared(['API.example.com']), skill });
    const id = await register({ url: adapter.url });
    world.vault.credentials.set('c3', { token: 'x' });
    await world.call('POST', 'listings/reaching/install', { credentials: { ACCOUNT: 'c3' } });
    const announced = (hosts?: string[]) =>
      until('the registry knows the hosts', () => {
        const given = announcementsOf('reaching').at(-1)?.credentials?.[0];
        return given !== undefined && JSON.stringify(given.hosts) === JSON.stringify(hosts);
      });
    await announced(['api.example.com']);
    const refreshed = async (hosts?: string[]) => {
      adapter.manifest.credentials = declared(hosts);
      const { body } = await world.call('POST', `adapters/${id}/refresh`, {});
      expect(body).toMatchObject({ pending: true });
      const before = announcementsOf('reaching').length;
      return {
        before,
        approve: (version: number) => world.call('POST', `adapters/${id}/versions/${version}/approve`, {}),
      };
    };
    const wider = await refreshed(['api.example.com', '*.example.org']);
    expect(announcementsOf('reaching')).toHaveLength(wider.before);
    expect((await world.call('GET', `adapters/${id}`)).body.manifest_version).toBe(1);
    await wider.approve(2);
    await announced(['api.example.com', '*.example.org']);
    // Hosts that the manifest withdraws are taken away; without a declaration, what people set would stay.
    await (await refreshed()).approve(3);
    await announced([]);
    await adapter.close();
  });

  it.each([['*'], ['*.com'], ['https://api.example.com'], ['api.example.com/v1'], ['a b'], [7]])(
    'is not registered with the host %j',
    async (host) => {
      const credentials = [{ key: 'K', type: 'text', label: 'K', maps_to: 'token', hosts: [host] }];
      const { status, body } = await world.call('POST', 'adapters', { manifest: { ...words('odd'), credentials } });
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain('credentials[0].hosts');
    },
  );
});
