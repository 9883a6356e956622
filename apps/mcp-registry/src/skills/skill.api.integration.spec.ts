import { pythonSource, type RegistryWorld, startRegistry } from '../testing/registry-world.js';

let registry: RegistryWorld;

beforeAll(async () => {
  registry = await startRegistry();
  registry.fake.credentials.set('cred_a', { token: 'secret-value' });
});
afterAll(() => registry.close());

const create = async (body: object) => (await registry.call('POST', 'skills', body)).body;
const toolset = async (skillIds: string[], toolIds: string[] = []) =>
  (await registry.internal('GET', `toolsets?skill_ids=${skillIds.join()}&tool_ids=${toolIds.join()}&agent_id=agt_1`))
    .body;
const createTool = async (source: string) => (await registry.call('POST', 'tools', { source })).body;

describe('a Skill', () => {
  it('gives its knowledge, tools and credentials to agents by their names', async () => {
    const add = await createTool(pythonSource('add'));
    const skill = await create({
      name: 'Desk work',
      knowledge: 'Be exact.',
      tools: [{ tool: 'builtin:http_request' }, { tool: add.id }],
      credentials: [{ credential_id: 'cred_a', as: 'crm' }],
    });
    const set = await toolset([skill.id]);
    expect(set.problems).toEqual([]);
    expect(set.skills).toEqual([
      { id: skill.id, slug: 'desk-work', name: 'Desk work', knowledge: 'Be exact.', version: 1 },
    ]);
    expect(set.tools.map((one) => [one.model_name, one.source, one.grade]).sort()).toEqual([
      ['desk-work__add', 'python', 'read'],
      ['http_request', 'builtin', 'read'],
    ]);
    for (const one of set.tools)
      expect(one.credential_bindings).toEqual([{ credential_id: 'cred_a', as: 'crm', skill_id: skill.id }]);
    const [tool] = set.tools.filter((one) => one.source === 'python');
    expect(tool?.python).toEqual({
      source: pythonSource('add'),
      source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      function: 'add',
    });
    const bound = registry.fake.asked.filter(({ path }) => path === '/internal/bindings').map(({ body }) => body);
    expect(bound).toContainEqual({ credential_id: 'cred_a', consumer: { kind: 'skill', id: skill.id } });
  });

  it('is changed only if it is still as it was read', async () => {
    const { id } = await create({ name: 'Read', knowledge: 'one', tools: [{ tool: 'builtin:web_search' }] });
    const authorization = `Bearer ${await registry.token()}`;
    const url = `/api/v1/skills/${id}`;
    const read = async () => (await registry.app.inject({ url, headers: { authorization } })).headers['etag'] ?? '';
    const change = (ifMatch: string) =>
      registry.app.inject({
        method: 'PATCH',
        url,
        headers: { authorization, 'if-match': ifMatch },
        payload: { knowledge: 'two' },
      });
    const tag = String(await read());
    const changed = await change(tag);
    expect([changed.statusCode, changed.headers['etag']]).toEqual([200, await read()]);
    expect((await change(tag)).statusCode).toBe(412);
  });

  it('keeps every version, and can be rolled back to one', async () => {
    const skill = await create({ name: 'Versions', knowledge: 'one', tools: [{ tool: 'builtin:web_search' }] });
    await registry.call('PATCH', `skills/${skill.id}`, { knowledge: 'two', tools: [] });
    const restored = await registry.call('POST', `skills/${skill.id}/versions/1/restore`);
    expect(restored.body).toMatchObject({
      version: 3,
      knowledge: 'one',
      tools: [{ tool: 'builtin:web_search', enabled: true }],
    });
    const { body } = await registry.call('GET', `skills/${skill.id}/versions`);
    expect(body.data).toMatchObject([
      { version: 3, content: { knowledge: 'one' } },
      { version: 2, content: { knowledge: 'two' } },
      { version: 1, content: { knowledge: 'one' } },
    ]);
  });

  it('loses no change when two are made concurrently', async () => {
    const skill = await create({ name: 'Race', knowledge: '' });
    const changes = Array.from({ length: 6 }, (_, i) =>
      registry.call('PATCH', `skills/${skill.id}`, { knowledge: `k${i}` }),
    );
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200));
    const { body } = await registry.call('GET', `skills/${skill.id}`);
    expect(body.version).toBe(7);
  });

  it('offers no tool that is switched off', async () => {
    const skill = await create({ name: 'Off', tools: [{ tool: 'builtin:send_email', enabled: false }] });
    expect((await toolset([skill.id])).tools).toEqual([]);
  });

  it('shows where each credential may go and how it is sent, through every change and version', async () => {
    const bound = {
      credential_id: 'cred_a',
      as: 'crm',
      hosts: ['API.example.com', '*.crm.test'],
      header: 'X-Key',
      scheme: '',
    };
    const kept = { ...bound, hosts: ['api.example.com', '*.crm.test'] };
    const skill = await create({ name: 'Bound', tools: [{ tool: 'builtin:http_request' }], credentials: [bound] });
    expect(skill.credentials).toEqual([kept]);
    const set = await toolset([skill.id]);
    expect(set.tools[0]?.credential_bindings).toEqual([{ ...kept, skill_id: skill.id }]);
    await registry.call('PATCH', `skills/${skill.id}`, { credentials: [{ credential_id: 'cred_a', as: 'crm' }] });
    const restored = await registry.call('POST', `skills/${skill.id}/versions/1/restore`);
    expect(restored.body.credentials).toEqual([kept]);
    for (const wrong of [
      { hosts: ['https://api.example.com/'] },
      { hosts: ['*'] },
      { header: 'a b' },
      { scheme: 'a\r\nb' },
      { hosts: null },
    ]) {
      const credentials = [{ credential_id: 'cred_a', as: 'crm', ...wrong }];
      expect((await registry.call('POST', 'skills', { name: 'Wrong', credentials })).body.code).toBe('invalid_fields');
    }
  });

  it('shows which of its tools no model gets, and what the models of its agents get now', async () => {
    const add = await createTool(pythonSource('left_out'));
    const agent = { id: 'agt_1', name: 'Desk', offered: 3, by_search: 2, left_out: [], left_out_total: 0, error: null };
    registry.fake.effect = { agents: [agent], more: 4 };
    const tools = [{ tool: add.id, enabled: false }, { tool: 'builtin:web_search' }];
    const made = await create({ name: 'Told', slug: 'told', tools });
    const expected = {
      left_out: [
        {
          id: expect.any(String),
          name: 'left_out',
          skill: 'told',
          reason: 'turned_off',
          what_to_do: expect.any(String),
        },
      ],
      effect: { agents: [agent], more: 4, error: null },
    };
    expect(made).toMatchObject(expected);
    expect((await registry.call('GET', `skills/${made.id}`)).body).toMatchObject(expected);
    expect(registry.fake.asked.at(-1)?.path).toBe(`/internal/agents/toolsets?skill_ids=${made.id}`);
    expect((await toolset([made.id])).left_out).toEqual(expected.left_out);
    const graded = await registry.call('PATCH', `tools/${add.id}`, { grade: 'write' });
    expect(graded.body.effect.agents).toEqual([agent]);
    expect(registry.fake.asked.at(-1)?.path).toBe(`/internal/agents/toolsets?skill_ids=${made.id}&tool_id=${add.id}`);
    registry.fake.effect = null;
    const changed = await registry.call('PATCH', `skills/${made.id}`, { tools: [{ tool: add.id }] });
    expect(changed).toMatchObject({
      status: 200,
      body: { left_out: [], effect: { agents: [], error: { code: expect.any(String) } } },
    });
    registry.fake.effect = { agents: [], more: 0 };
  });

  it('shares a built-in tool with another Skill, and hides no credential of that one', async () => {
    const credentials = [{ credential_id: 'cred_a', as: 'api' }];
    const tools = [{ tool: 'builtin:http_request' }];
    const one = await create({ name: 'First', slug: 'first', tools, credentials });
    const two = await create({ name: 'Second', slug: 'second', tools, credentials });
    const set = await toolset([one.id, two.id]);
    expect(set.tools).toHaveLength(1);
    expect(set.tools[0]?.credential_bindings).toEqual([
      { credential_id: 'cred_a', as: 'api', skill_id: one.id },
      { credential_id: 'cred_a', as: 'second.api', skill_id: two.id },
    ]);
  });

  it('names only tools and credentials that exist', async () => {
    const unknown = await registry.call('POST', 'skills', {
      name: 'X',
      tools: [{ tool: 'tol_none' }, { tool: 'builtin:rm' }],
    });
    expect(unknown.body.errors.map((one) => one.field)).toEqual(['tools.0.tool', 'tools.1.tool']);
    const credentials = [{ credential_id: 'cred_none', as: 'x' }];
    expect((await registry.call('POST', 'skills', { name: 'Y', credentials })).body.code).toBe('credential_not_found');
    const allowed = [{ credential_id: 'cred_a', as: 'x' }];
    const as = { scopes: ['tools:write' as const] };
    expect((await registry.call('POST', 'skills', { name: 'Z', credentials: allowed }, as)).status).toBe(403);
  });

  it('must have a name', async () => {
    for (const body of [{ knowledge: 'nameless' }, { name: '' }, { name: null }]) {
      const { status, body: problem } = await registry.call('POST', 'skills', body);
      expect({ status, fields: problem.errors?.map((one) => one.field) }).toEqual({
        status: 422,
        fields: ['name'],
      });
    }
    const { id } = await create({ name: 'Named' });
    expect((await registry.call('PATCH', `skills/${id}`, { knowledge: 'k' })).body).toMatchObject({ name: 'Named' });
  });

  it('releases a credential that it no longer names, and no other', async () => {
    registry.fake.credentials.set('cred_b', { token: 'another' });
    const { id } = await create({
      name: 'Less',
      credentials: [
        { credential_id: 'cred_a', as: 'a' },
        { credential_id: 'cred_b', as: 'b' },
        { credential_id: 'cred_b', as: 'again' },
      ],
    });
    const released = () =>
      registry.fake.asked.flatMap(({ method, path }) =>
        method === 'DELETE' && path.startsWith(`/internal/bindings/skill/${id}`) ? [path.split('?')[1]] : [],
      );
    await registry.call('PATCH', `skills/${id}`, { knowledge: 'no list: they stay' });
    await registry.call('PATCH', `skills/${id}`, { credentials: [{ credential_id: 'cred_b', as: 'again' }] });
    expect(released()).toEqual(['credential_id=cred_a']);
    await registry.call('POST', `skills/${id}/versions/1/restore`);
    const last = registry.fake.asked.filter(({ method, path }) => method === 'PUT' && path === '/internal/bindings');
    expect(last.at(-1)?.body).toMatchObject({ consumer: { id } });
    expect(last.slice(-3).map(({ body }) => body['credential_id'])).toContain('cred_a');
    await registry.call('PATCH', `skills/${id}`, { credentials: [] });
    expect(released()).toEqual(['credential_id=cred_a', 'credential_id=cred_a', 'credential_id=cred_b']);
  });

  it('stays while agents have it', async () => {
    const skill = await create({ name: 'Wanted' });
    registry.fake.users = [{ id: 'agt_1', name: 'Front desk' }];
    const refused = await registry.call('DELETE', `skills/${skill.id}`);
    expect({ code: refused.body.code, detail: refused.body.detail }).toMatchObject({
      code: 'skill_in_use',
      detail: expect.stringContaining('Front desk'),
    });
    registry.fake.users = [];
    expect((await registry.call('DELETE', `skills/${skill.id}`)).status).toBe(204);
    expect((await toolset([skill.id])).problems).toEqual([{ skill_id: skill.id, message: 'There is no such Skill.' }]);
  });
});
