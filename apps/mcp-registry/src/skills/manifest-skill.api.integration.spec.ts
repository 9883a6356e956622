import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';

let registry: RegistryWorld;

beforeAll(async () => {
  registry = await startRegistry();
  registry.fake.credentials.set('cred_a', { token: 'secret-value' });
});
afterAll(() => registry.close());

describe('a Skill', () => {
  it('is created from a manifest, and changes with it', async () => {
    const skill = { name: 'CRM', knowledge: 'Ask first.', tool_names: ['http_request'] };
    const put = (manifest: object) => registry.call('POST', 'skills/manifest', { manifest });
    const first = await put({ slug: 'crm', skill });
    expect(first.body).toMatchObject({
      slug: 'crm',
      origin: 'manifest',
      provider: 'crm',
      tools: [{ tool: 'builtin:http_request' }],
    });
    const updated = await put({ slug: 'crm', skill: { ...skill, knowledge: 'Ask twice.' } });
    expect(updated.body).toMatchObject({ id: first.body.id, knowledge: 'Ask twice.', version: 2 });
    expect((await put({ slug: 'crm', skill: { ...skill, tool_names: ['rm'] } })).body.code).toBe('invalid_manifest');
    const withTool = await registry.internal('POST', 'skills/manifest', {
      manifest: { slug: 'crm', skill: { ...skill, tool_names: ['rm', 'web_search'] } },
    });
    // A manifest that was approved with a warning yields a Skill without the unknown tools.
    expect(withTool).toMatchObject({ status: 200, body: { skill_id: first.body.id, left_out: ['rm'] } });
  });

  it('of a manifest follows the credentials of its App, beside those that people gave it', async () => {
    const skill = { name: 'Mail', knowledge: 'Read it.' };
    const given = { credentials: [{ credential_id: 'cred_a', as: 'ACCOUNT' }], names: ['ACCOUNT'] };
    const put = await registry.internal('POST', 'skills/manifest', { manifest: { slug: 'mail', skill }, ...given });
    const { skill_id: id } = put.body;
    const now = async () => (await registry.call('GET', `skills/${id}`)).body;
    const credentials = [...given.credentials, { credential_id: 'cred_b', as: 'mine' }];
    await registry.call('PATCH', `skills/${id}`, { credentials });
    const link = (body: object) => registry.internal('PUT', 'skills/manifest/mail/credentials', body);
    await link(given);
    expect(await now()).toMatchObject({ version: 2, credentials });
    await link({ credentials: [{ credential_id: 'cred_c', as: 'ACCOUNT' }], names: ['ACCOUNT'] });
    expect((await now()).credentials).toEqual([
      { credential_id: 'cred_c', as: 'ACCOUNT' },
      { credential_id: 'cred_b', as: 'mine' },
    ]);
    const bound = registry.fake.asked.filter(({ body }) => JSON.stringify(body).includes(id));
    expect(bound.map(({ body }) => body['credential_id'])).toEqual(
      expect.arrayContaining(['cred_a', 'cred_b', 'cred_c']),
    );
    await link({ names: ['ACCOUNT'] });
    expect((await now()).credentials).toEqual([{ credential_id: 'cred_b', as: 'mine' }]);
    expect((await registry.internal('PUT', 'skills/manifest/none/credentials', given)).status).toBe(404);
  });

  it('of a manifest sends its credentials where the manifest says, else where people say', async () => {
    const skill = { name: 'Shop', knowledge: 'Sell.', tool_names: ['http_request'] };
    const given = (hosts?: string[]) => ({
      credentials: [{ credential_id: 'cred_a', as: 'ACCOUNT', ...(hosts ? { hosts } : {}) }],
      names: ['ACCOUNT'],
    });
    const put = await registry.internal('POST', 'skills/manifest', { manifest: { slug: 'shop', skill }, ...given() });
    const { skill_id: id } = put.body;
    const now = async () => (await registry.call('GET', `skills/${id}`)).body.credentials;
    const byPerson = { credential_id: 'cred_a', as: 'ACCOUNT', hosts: ['shop.example.com'], header: 'x-api-key' };
    await registry.call('PATCH', `skills/${id}`, { credentials: [byPerson] });
    const link = (hosts?: string[]) => registry.internal('PUT', 'skills/manifest/shop/credentials', given(hosts));
    await link();
    expect(await now()).toEqual([byPerson]);
    await link(['api.example.com', '*.example.org']);
    expect(await now()).toEqual([{ ...byPerson, hosts: ['api.example.com', '*.example.org'] }]);
    await registry.internal('POST', 'skills/manifest', {
      manifest: { slug: 'shop', skill },
      ...given(['b.example.com']),
    });
    expect(await now()).toEqual([{ ...byPerson, hosts: ['b.example.com'] }]);
    await link([]);
    expect(await now()).toEqual([{ credential_id: 'cred_a', as: 'ACCOUNT', header: 'x-api-key' }]);
  });

  it('warns of a credential that http_request sends nowhere, until its hosts are named', async () => {
    const put = (slug: string, tools: string[]) =>
      registry.internal('POST', 'skills/manifest', {
        manifest: { slug, skill: { name: slug, knowledge: 'k', tool_names: tools } },
        credentials: [{ credential_id: 'cred_a', as: 'ACCOUNT' }],
      });
    const { skill_id: id } = (await put('silent', ['http_request'])).body;
    const now = async () => (await registry.call('GET', `skills/${id}`)).body.warnings;
    const warning = { code: 'credential_without_host', credential: 'ACCOUNT' };
    expect(await now()).toEqual([{ ...warning, message: expect.stringContaining('sends ACCOUNT to no host') }]);
    const listed = (await registry.call('GET', 'skills?search=silent')).body.data;
    expect(listed).toMatchObject([{ id, warnings: [warning] }]);
    const hosts = ['api.example.com'];
    await registry.call('PATCH', `skills/${id}`, { credentials: [{ credential_id: 'cred_a', as: 'ACCOUNT', hosts }] });
    expect(await now()).toEqual([]);
    const { skill_id: other } = (await put('mailing', ['send_email'])).body;
    expect((await registry.call('GET', `skills/${other}`)).body.warnings).toEqual([]);
  });

  it('of a manifest is removed when nothing declares it, and stays as a person’s where agents have it', async () => {
    const put = (slug: string) =>
      registry.internal('POST', 'skills/manifest', { manifest: { slug, skill: { name: slug, knowledge: 'k' } } });
    const [unused, used] = [(await put('unused')).body.skill_id, (await put('used')).body.skill_id];
    const remove = async (slug: string) => (await registry.internal('DELETE', `skills/manifest/${slug}`)).body.outcome;
    expect(await remove('unused')).toBe('removed');
    expect((await registry.call('GET', `skills/${unused}`)).status).toBe(404);
    registry.fake.users = [{ id: 'agt_1', name: 'Ada' }];
    expect(await remove('used')).toBe('kept');
    registry.fake.users = [];
    expect((await registry.call('GET', `skills/${used}`)).body).toMatchObject({ origin: 'person' });
    expect(await remove('used')).toBe('none');
  });
});
