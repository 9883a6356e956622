import type { Json } from '#libs/testing';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import type { ToolView } from '../tools/tool.dto.js';

describe('a tool that is rehearsed', () => {
  let registry: RegistryWorld;
  let server: FakeMcpServer;
  let mcp: Json<ToolView>;
  const args = { text: 'hi' };

  beforeAll(async () => {
    [registry, server] = await Promise.all([startRegistry(), FakeMcpServer.start()]);
    registry.fake.credentials.set('cred_a', { token: 'secret-value' });
    server.script.list = () => ({ tools: [tool('pay', { annotations: { destructiveHint: false } })] });
    server.script.wants = { authorization: 'Bearer secret-value' };
    const wish = { url: server.url, name: 'Bank', auth: { mode: 'bearer', credential_id: 'cred_a' } };
    const { id } = (await registry.call('POST', 'mcp-servers', wish)).body;
    mcp = (await registry.call('GET', `tools?server_id=${id}`)).body.data[0] as Json<ToolView>;
  });
  afterAll(async () => {
    await registry.close();
    await server.stop();
  });

  const rehearse = (id: string, body: object, as?: object) => registry.call('POST', `tools/${id}/rehearse`, body, as);

  it('shows what its call then sends, without the secret, and asks neither the server nor the vault', async () => {
    const [before, known] = [server.asked.length, registry.fake.asked.length];
    const { status, body } = await rehearse(mcp.id, { arguments: args });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        refused: null,
        problems: [],
        credentials: [{ credential_id: 'cred_a', as: null }],
        grade: 'write',
        request: { method: 'POST', url: server.url },
      },
    });
    expect(JSON.stringify(body)).not.toContain('secret-value');
    expect(server.asked).toHaveLength(before);
    expect(registry.fake.asked.slice(known).map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      '/internal/agents/powers',
    ]);
    expect((await registry.call('GET', `tools/${mcp.id}/calls`)).body.data).toEqual([]);

    await registry.call('POST', `tools/${mcp.id}/try`, { arguments: args });
    const sent = server.calls.at(-1);
    const { request } = body;
    expect(sent?.method).toBe(request?.method);
    expect(new URL(sent?.url ?? '', server.url).href).toBe(request?.url);
    expect(sent?.rpc).toMatchObject(request?.body ?? {});
    for (const { name, value } of request?.headers ?? []) {
      expect(sent?.headers[name]).toBe(name === 'authorization' ? 'Bearer secret-value' : value);
    }
    expect(request?.headers).toContainEqual({ name: 'authorization', value: 'Bearer ••••••••' });
  });

  it('says which agents call it alone, ask first, or never do', async () => {
    const agent = (id: string, may_do: string, has_approvers: boolean) => ({ id, name: id, may_do, has_approvers });
    const agents = [agent('a', 'write', false), agent('b', 'read', true), agent('c', 'read', false)];
    registry.fake.powers = { agents, more: 2 };
    const { body } = await rehearse(mcp.id, { arguments: args });
    expect(body.agents.map(({ id, call }) => [id, call])).toEqual([
      ['a', 'alone'],
      ['b', 'asks'],
      ['c', 'never'],
    ]);
    expect(body.more_agents).toBe(2);
    registry.fake.powers = null;
    expect((await rehearse(mcp.id, { arguments: args })).body).toMatchObject({
      agents: [],
      agents_error: { code: 'not_now' },
    });
  });

  it('names what is wrong with its arguments, and why a call would be refused', async () => {
    expect((await rehearse(mcp.id, { arguments: { text: 7 } })).body.problems).toEqual(['/text must be string']);
    server.script.list = () => ({ tools: [tool('pay', { description: 'Pays more.' })] });
    await registry.call('POST', `mcp-servers/${mcp.server_id}/discover`);
    const { refused } = (await rehearse(mcp.id, { arguments: args })).body;
    expect(refused).toMatchObject({ code: 'tool_not_approved' });
    expect((await registry.call('POST', `tools/${mcp.id}/try`, { arguments: args })).body.error).toBe(refused?.code);
  });

  it('of Python has no request, and names the credentials of its Skill to whoever may give them', async () => {
    const source = 'def rates(day: str) -> int:\n    "Rates."\n    return http_request("GET", day)\n';
    const { id } = (await registry.call('POST', 'tools', { source })).body;
    const credentials = [{ credential_id: 'cred_a', as: 'bank' }];
    const skill = (await registry.call('POST', 'skills', { name: 'Rates', tools: [{ tool: id }], credentials })).body;
    const { body } = await rehearse(id, { arguments: {}, skill_id: skill.id });
    expect(body).toMatchObject({ request: null, credentials, refused: null });
    const rightless = await rehearse(id, { arguments: {}, skill_id: skill.id }, { scopes: ['tools:read'] });
    expect(rightless).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    expect(registry.fake.asked.map(({ path }) => path)).not.toContain('/internal/python-tries');
  });

  it('must belong to this project, and must not be built in', async () => {
    expect((await rehearse(mcp.id, { arguments: {} }, { projectId: 'prj_other' })).status).toBe(404);
    expect((await rehearse('builtin:http_request', { arguments: {} })).status).toBe(409);
    expect((await rehearse(mcp.id, { arguments: {} }, { scopes: ['events:read'] })).status).toBe(403);
  });
});

describe('the audit log', () => {
  it('has each trial call with who made it, its arguments by name and its outcome, and no rehearsal', async () => {
    const registry = await startRegistry();
    const server = await FakeMcpServer.start();
    try {
      const { id: serverId } = (await registry.call('POST', 'mcp-servers', { url: server.url, name: 'Desk' })).body;
      const id = (await registry.call('GET', `tools?server_id=${serverId}`)).body.data[0]?.id ?? '';
      await registry.call('POST', `tools/${id}/rehearse`, { arguments: { text: 'confidential' } });
      await registry.call('POST', `tools/${id}/try`, { arguments: { text: 'confidential' } });
      server.script.call = () => ({ isError: true, content: [{ type: 'text', text: 'no' }] });
      await registry.call('POST', `tools/${id}/try`, { arguments: {} });
      const { data } = (await registry.internal('GET', 'audit')).body;
      const tried = data.filter(({ subject, action }) => subject === id && action === 'tool.tried');
      expect(tried).toMatchObject([
        { actor: 'key:test', after: { name: 'first', arguments: [], arguments_bytes: 2, outcome: 'tool_error' } },
        { actor: 'key:test', after: { arguments: ['text'], arguments_bytes: 23, outcome: 'ok' } },
      ]);
      expect(JSON.stringify(data)).not.toContain('confidential');
    } finally {
      await registry.close();
      await server.stop();
    }
  });
});
