import type { Scope } from '#libs/service-kit';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';

describe('somebody who only writes tools', () => {
  let registry: RegistryWorld;
  let server: FakeMcpServer;

  beforeAll(async () => {
    [registry, server] = await Promise.all([startRegistry(), FakeMcpServer.start()]);
    server.script.list = () => ({ tools: [tool('first', { annotations: { destructiveHint: true } })] });
  });
  afterAll(async () => {
    await registry.close();
    await server.stop();
  });

  const writer = { scopes: ['tools:write', 'admin'] as Scope[] };
  const manager = { scopes: ['tools:write', 'approvals:manage'] as Scope[] };
  const audit = async (subject = '') =>
    (await registry.internal('GET', '/audit')).body.data.filter((entry) => entry.subject === subject).reverse();

  it('may not lower the grade of a tool, but may raise it', async () => {
    const { body } = await registry.call('POST', '/mcp-servers', { url: server.url, name: 'graded' }, writer);
    const { data } = (await registry.call('GET', `/tools?server_id=${body.id}`)).body;
    const id = data[0]?.id;
    const grade = (to: string, as: typeof writer) => registry.call('PATCH', `/tools/${id}`, { grade: to }, as);
    const refused = await grade('read', writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect(refused.body.detail).toContain('Grading the tool first read instead of destructive needs');
    expect((await grade('read', manager)).body.grade).toBe('read');
    expect((await grade('write', writer)).body.grade).toBe('write');
    expect(await audit(id)).toMatchObject([
      { action: 'tool.regraded', actor: 'key:1', before: { grade: 'destructive' }, after: { grade: 'read' } },
      { action: 'tool.regraded', before: { grade: 'read' }, after: { grade: 'write' } },
    ]);
  });

  it.each(['auto', 'warn'])('may not set the policy %s, which accepts changes unreviewed', async (policy) => {
    const wish = { url: server.url, name: `server-${policy}` };
    const refused = await registry.call('POST', '/mcp-servers', { ...wish, policy }, writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    const { id } = (await registry.call('POST', '/mcp-servers', wish, writer)).body;
    expect((await registry.call('PATCH', `/mcp-servers/${id}`, { policy }, writer)).status).toBe(403);
    expect((await registry.call('PATCH', `/mcp-servers/${id}`, { policy }, manager)).body.policy).toBe(policy);
    expect((await registry.call('PATCH', `/mcp-servers/${id}`, { policy: 'block' }, writer)).status).toBe(200);
    expect(await audit(id)).toMatchObject([
      { action: 'mcp_server.policy_set', before: { policy: 'block' }, after: { policy } },
      { action: 'mcp_server.policy_set', before: { policy }, after: { policy: 'block' } },
    ]);
  });
});
