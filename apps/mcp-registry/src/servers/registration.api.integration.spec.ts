import { until } from '#libs/testing';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';
import type { ToolView } from '../tools/tool.dto.js';

let registry: RegistryWorld;
const servers: FakeMcpServer[] = [];

beforeAll(async () => {
  registry = await startRegistry();
});

afterAll(async () => {
  await registry.close();
  await Promise.all(servers.map((server) => server.stop()));
});

async function openServer(): Promise<FakeMcpServer> {
  const server = await FakeMcpServer.start();
  servers.push(server);
  return server;
}

const register = (server: FakeMcpServer, more: object = {}) =>
  registry.call('POST', 'mcp-servers', { url: server.url, ...more });
const toolsOf = async (id: string): Promise<ToolView[]> =>
  (await registry.call('GET', `tools?source=mcp&server_id=${id}&limit=200`)).body.data;

describe('registering a server by its URL', () => {
  it('lists every page and bundles the tools in a Skill at once', async () => {
    const server = await openServer();
    server.script.list = (cursor) =>
      cursor === undefined
        ? { tools: [tool('one'), tool('two')], nextCursor: 'p2' }
        : {
            tools: [
              tool('three', { annotations: undefined }),
              tool('four', { annotations: { readOnlyHint: true, destructiveHint: true } }),
              tool('five', { annotations: { destructiveHint: false } }),
            ],
          };
    const { status, body } = await register(server, { name: 'My Server' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      slug: 'my-server',
      transport: 'streamable_http',
      health: 'reachable',
      server_info: { name: 'fake', version: '1' },
      tools: { approved: 5 },
    });
    const tools = await toolsOf(body.id);
    expect(Object.fromEntries(tools.map(({ name, grade, state }) => [name, [grade, state]]))).toEqual({
      one: ['read', 'approved'],
      two: ['read', 'approved'],
      three: ['destructive', 'approved'],
      four: ['destructive', 'approved'],
      five: ['write', 'approved'],
    });
    const skill = await registry.call('GET', `skills/${body.skill_id}`);
    expect(skill.body).toMatchObject({ slug: 'my-server', origin: 'mcp_server', server_id: body.id });
    expect(skill.body.tools.map((one: { tool: string }) => one.tool).sort()).toEqual(tools.map(({ id }) => id).sort());
  });

  it('mirrors the credential by reference, for the server and for its Skill', async () => {
    const server = await openServer();
    server.script.wants = { authorization: 'Bearer s3cret' };
    registry.fake.credentials.set('cred_bearer', { token: 's3cret' });
    const { status, body } = await register(server, {
      name: 'Bearer',
      auth: { mode: 'bearer', credential_id: 'cred_bearer' },
    });
    expect({ status, auth: body.auth }).toEqual({
      status: 201,
      auth: { mode: 'bearer', header: null, credential_id: 'cred_bearer' },
    });
    const bound = registry.fake.asked.filter(({ path }) => path === '/internal/bindings').map((one) => one.body);
    expect(bound).toEqual([
      { credential_id: 'cred_bearer', consumer: { kind: 'mcp_server', id: body.id } },
      { credential_id: 'cred_bearer', consumer: { kind: 'skill', id: body.skill_id } },
    ]);
    const skill = await registry.call('GET', `skills/${body.skill_id}`);
    expect(skill.body.credentials).toEqual([{ credential_id: 'cred_bearer', as: 'bearer' }]);
  });

  it('sends a credential in the header that is named', async () => {
    const server = await openServer();
    server.script.wants = { 'x-team-key': 'k1' };
    registry.fake.credentials.set('cred_header', { token: 'k1' });
    const auth = { mode: 'header', header: 'X-Team-Key', credential_id: 'cred_header' };
    expect((await register(server, { auth })).status).toBe(201);
    expect((await register(server, { auth: { ...auth, header: 'Host' } })).body.code).toBe('invalid_auth');
  });

  it('needs the right to manage credentials where one is given', async () => {
    const server = await openServer();
    registry.fake.credentials.set('cred_mine', { token: 'k1' });
    const body = { url: server.url, auth: { mode: 'bearer', credential_id: 'cred_mine' } };
    const refused = await registry.call('POST', 'mcp-servers', body, { scopes: ['tools:write'] });
    expect({ status: refused.status, asked: server.asked }).toEqual({ status: 403, asked: [] });
  });

  it('stores nothing of a server that refuses, is dead, is not an MCP server, or may not be reached', async () => {
    const locked = await openServer();
    locked.script.wants = { authorization: 'Bearer other' };
    const dead = await openServer();
    const deadUrl = dead.url;
    await servers.splice(servers.indexOf(dead), 1)[0]!.stop();
    const codes: Record<string, string> = {};
    const attempt = async (name: string, url: string) => {
      const { status, body } = await registry.call('POST', 'mcp-servers', { url, name, slug: name });
      codes[name] = `${status} ${body.code}`;
    };
    await attempt('locked', locked.url);
    await attempt('dead', deadUrl);
    await attempt('not-mcp', `${registry.fake.url}/nothing`);
    await attempt('private', 'http://10.0.0.1/mcp');
    await attempt('metadata', 'http://169.254.169.254/latest');
    await attempt('file', 'file:///etc/passwd');
    expect(codes).toEqual({
      locked: '422 mcp_auth_failed',
      dead: '422 mcp_unreachable',
      'not-mcp': '422 mcp_protocol_error',
      private: '422 mcp_blocked_address',
      metadata: '422 mcp_blocked_address',
      file: '422 unsafe_content',
    });
    const { body } = await registry.call('GET', 'mcp-servers?limit=200');
    expect(body.data.map((one: { slug: string }) => one.slug)).not.toEqual(expect.arrayContaining(['locked']));
    const freed = registry.fake.asked.filter(({ method }) => method === 'DELETE').length;
    expect(freed).toBe(0);
  });

  it('gives each server of a project a slug of its own', async () => {
    const server = await openServer();
    const slugs = [];
    for (let i = 0; i < 2; i += 1) slugs.push((await register(server, { name: 'Same' })).body.slug);
    expect(slugs).toEqual(['same', 'same-2']);
    expect((await register(server, { name: 'x', slug: 'same' })).body.code).toBe('slug_taken');
  });

  it('reads a server.json', async () => {
    const server = await openServer();
    const remote = { type: 'streamable-http', url: server.url };
    const json = {
      name: 'io.example/weather',
      title: 'Weather',
      packages: [],
      remotes: [{ type: 'sse', url: 'https://{tenant}.example' }, remote],
    };
    const imported = await registry.call('POST', 'mcp-servers/import', { server: json });
    expect(imported.body).toMatchObject({ name: 'Weather', url: server.url, tools: { approved: 1 } });
    const local = await registry.call('POST', 'mcp-servers/import', { server: { name: 'a', packages: [{}] } });
    expect(local.body.code).toBe('no_remote');
    const headers = [{ name: 'X-Key', isRequired: true }];
    const locked = await registry.call('POST', 'mcp-servers/import', {
      server: { ...json, remotes: [{ ...remote, headers }] },
    });
    expect(locked.body.code).toBe('auth_needed');
  });
});

describe('what a server lists', () => {
  it('is quarantined one by one where it is bad, and the rest is used', async () => {
    const server = await openServer();
    server.script.list = () => ({
      tools: [
        tool('good'),
        tool('huge', { description: 'x'.repeat(9_000) }),
        tool('null-character', { description: 'a\u0000b' }),
        tool('twice'),
        tool('twice', { description: 'another' }),
        tool('bad name\n'),
        null,
        'text',
      ],
    });
    const { body } = await register(server, { name: 'Mixed' });
    expect(body.tools).toEqual({ approved: 1, quarantined: 6 });
    const problems = Object.fromEntries((await toolsOf(body.id)).map(({ name, problem }) => [name, problem]));
    const unnamed = Object.keys(problems).find((name) => name.startsWith('entry ')) ?? '';
    expect(problems).toMatchObject({
      good: null,
      huge: expect.stringContaining('bytes, more than'),
      'null-character': expect.stringContaining('characters'),
      twice: 'is listed twice',
      'bad name? (f58b8808)': expect.stringContaining('its name cannot be given to a model'),
      [unnamed]: 'has no name',
    });
    const { body: set } = await registry.internal('GET', `toolsets?skill_ids=${body.skill_id}`);
    expect(set.tools.map((one: { model_name: string }) => one.model_name)).toEqual(['mixed__good']);
    expect(set.left_out).toHaveLength(6);
    expect(set.left_out).toContainEqual({
      id: expect.any(String),
      name: 'twice',
      skill: 'mixed',
      reason: 'quarantined',
      what_to_do: expect.stringContaining('is listed twice'),
    });
  });

  it('loses what is broken in its schemas, says so, and is offered and called all the same', async () => {
    const server = await openServer();
    const a = { type: 'string' };
    const broken = {
      'no-schema': [{ inputSchema: undefined }, 'inputSchema: it is no schema of an object'],
      'not-an-object': [{ inputSchema: { type: 'string' } }, 'inputSchema: it describes no object, but string'],
      'bad-pattern': [{ inputSchema: { properties: { a, b: { pattern: '(' } } } }, '/properties/b/pattern'],
      'remote-reference': [{ inputSchema: { properties: { a, b: { $ref: 'https://evil.example/x' } } } }, '/b/$ref'],
      'bad-results': [{ outputSchema: { type: 'object', properties: { a: { type: 'strng' } } } }, 'not checked'],
      'results-of-no-object': [{ outputSchema: 'text' }, 'not checked'],
    } as const;
    server.script.list = () => ({ tools: Object.entries(broken).map(([name, [part]]) => tool(name, part)) });
    const { body } = await register(server, { name: 'Broken' });
    expect(body.tools).toEqual({ approved: 6 });
    const listed = await toolsOf(body.id);
    for (const { id, name, problem } of listed) {
      expect({ name, problem }).toEqual({
        name,
        problem: expect.stringContaining(broken[name as keyof typeof broken][1]),
      });
      const tried = await registry.call('POST', `tools/${id}/try`, { arguments: { a: 'x', text: 'x' } });
      expect(tried).toMatchObject({ status: 200, body: { ok: true } });
    }
    const { body: set } = await registry.internal('GET', `toolsets?skill_ids=${body.skill_id}`);
    expect(set.tools).toHaveLength(6);
    const pattern = set.tools.find(({ model_name: name }: { model_name: string }) => name.endsWith('bad-pattern'));
    expect(pattern?.input_schema).toEqual({ type: 'object', properties: { a, b: {} } });
    // The same listing again is no change.
    await registry.call('POST', `mcp-servers/${body.id}/discover`);
    expect((await toolsOf(body.id)).map(({ state }) => state)).toEqual(listed.map(() => 'approved'));
  });

  it.each([
    ['a cursor that never ends', (n: number) => `c${n}`],
    ['a cursor that comes twice', () => 'same'],
  ])('is not accepted with %s', async (_what, next) => {
    const server = await openServer();
    let n = 0;
    server.script.list = () => ({ tools: [tool(`t${n}`)], nextCursor: next((n += 1)) });
    const { status, body } = await register(server);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'mcp_list_too_long' });
    expect(server.count('tools/list')).toBeLessThanOrEqual(5);
  });

  it('is not accepted as one piece that is too large, and the registry survives', async () => {
    const server = await openServer();
    server.script.list = () => ({ tools: [tool('big', { description: 'x'.repeat(400_000) })] });
    expect((await register(server)).body.code).toBe('mcp_response_too_large');
    const many = await openServer();
    many.script.list = () => ({ tools: Array.from({ length: 60 }, (_, i) => tool(`t${i}`)) });
    expect((await register(many)).body.code).toBe('mcp_list_too_long');
  });
});

describe('unregistering', () => {
  it('says which agents have its Skill, and removes tools, Skill and bindings when asked to', async () => {
    const server = await openServer();
    registry.fake.credentials.set('cred_gone', { token: 'x' });
    const { body } = await register(server, { name: 'Going', auth: { mode: 'bearer', credential_id: 'cred_gone' } });
    registry.fake.users = [{ id: 'agt_1', name: 'Front desk' }];
    const refused = await registry.call('DELETE', `mcp-servers/${body.id}`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'server_in_use', errors: [{ field: 'agt_1', message: 'Front desk' }] });
    expect((await registry.call('DELETE', `mcp-servers/${body.id}?force=true`)).status).toBe(204);
    registry.fake.users = [];
    expect((await registry.call('GET', `skills/${body.skill_id}`)).status).toBe(404);
    expect(await toolsOf(body.id)).toEqual([]);
    const unbound = registry.fake.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(unbound).toEqual(
      expect.arrayContaining([`/internal/bindings/mcp_server/${body.id}`, `/internal/bindings/skill/${body.skill_id}`]),
    );
    await until('its connection is closed', () => server.listeners === 0);
  });
});

describe('another project', () => {
  it('sees, changes and calls nothing', async () => {
    const server = await openServer();
    const { body } = await register(server, { name: 'Mine' });
    const { id, pin } = (await toolsOf(body.id))[0]!;
    const stranger = { projectId: 'prj_other' };
    const answers = [
      await registry.call('GET', `mcp-servers/${body.id}`, undefined, stranger),
      await registry.call('PATCH', `mcp-servers/${body.id}`, { name: 'x' }, stranger),
      await registry.call('POST', `mcp-servers/${body.id}/discover`, undefined, stranger),
      await registry.call('DELETE', `mcp-servers/${body.id}?force=true`, undefined, stranger),
      await registry.call('GET', `tools/${id}`, undefined, stranger),
      await registry.call('PATCH', `tools/${id}`, { grade: 'read' }, stranger),
      await registry.call('GET', `skills/${body.skill_id}/export`, undefined, stranger),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    const call = { tool_id: id, pin, arguments: {}, call_id: 'c' };
    const called = await registry.internal('POST', 'tool-calls', call, stranger);
    expect(called.body).toMatchObject({ ok: false, error: 'tool_not_found' });
    const set = await registry.internal('GET', `toolsets?skill_ids=${body.skill_id}`, undefined, stranger);
    expect(set.body).toMatchObject({ tools: [], problems: [{ skill_id: body.skill_id }] });
    expect((await registry.call('POST', 'mcp-servers', { url: server.url }, { scopes: ['tools:read'] })).status).toBe(
      403,
    );
  });
});
