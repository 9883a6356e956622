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
    (await registry.internal('GET', 'audit')).body.data.filter((entry) => entry.subject === subject).reverse();

  it('may not lower the grade of a tool, but may raise it', async () => {
    const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: 'graded' }, writer);
    const { data } = (await registry.call('GET', `tools?server_id=${body.id}`)).body;
    const id = data[0]?.id;
    const grade = (to: string, as: typeof writer) => registry.call('PATCH', `tools/${id}`, { grade: to }, as);
    const refused = await grade('read', writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect(refused.body.detail).toContain('Grading the tool first read instead of destructive needs');
    expect((await grade('read', manager)).body.grade).toBe('read');
    expect((await grade('write', writer)).body.grade).toBe('write');
    expect(await audit(id)).toMatchObject([
      { action: 'tool.regraded', actor: 'key:test', before: { grade: 'destructive' }, after: { grade: 'read' } },
      { action: 'tool.regraded', before: { grade: 'read' }, after: { grade: 'write' } },
    ]);
  });

  it.each(['auto', 'warn'])('may not set the policy %s, which accepts changes unreviewed', async (policy) => {
    const wish = { url: server.url, name: `server-${policy}` };
    const refused = await registry.call('POST', 'mcp-servers', { ...wish, policy }, writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    const { id } = (await registry.call('POST', 'mcp-servers', wish, writer)).body;
    expect((await registry.call('PATCH', `mcp-servers/${id}`, { policy }, writer)).status).toBe(403);
    expect((await registry.call('PATCH', `mcp-servers/${id}`, { policy }, manager)).body.policy).toBe(policy);
    expect((await registry.call('PATCH', `mcp-servers/${id}`, { policy: 'block' }, writer)).status).toBe(200);
    expect(await audit(id)).toMatchObject([
      { action: 'mcp_server.policy_set', before: { policy: 'block' }, after: { policy } },
      { action: 'mcp_server.policy_set', before: { policy }, after: { policy: 'block' } },
    ]);
  });

  it.each(['partner', 'own'])('may not trust the results of a server as %s, but may trust them less', async (trust) => {
    const wish = { url: server.url, name: `trusted-${trust}` };
    const refused = await registry.call('POST', 'mcp-servers', { ...wish, trust }, writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    const made = (await registry.call('POST', 'mcp-servers', wish, writer)).body;
    // It runs here, and its tools do not say what they reach.
    expect(made).toMatchObject({ trust: 'untrusted', recommended_trust: { trust: 'partner' } });
    const change = (to: string, as: typeof writer) =>
      registry.call('PATCH', `mcp-servers/${made.id}`, { trust: to }, as);
    expect((await change(trust, writer)).status).toBe(403);
    expect((await change(trust, manager)).body.trust).toBe(trust);
    expect((await change('untrusted', writer)).body.trust).toBe('untrusted');
    expect(await audit(made.id)).toMatchObject([
      { action: 'mcp_server.trust_set', before: { trust: 'untrusted' }, after: { trust } },
      { action: 'mcp_server.trust_set', before: { trust }, after: { trust: 'untrusted' } },
    ]);
  });

  it('may not trust a tool more than its server, and the toolset has the trust that is in force', async () => {
    const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: 'mixed' }, manager);
    await registry.call('PATCH', `mcp-servers/${body.id}`, { trust: 'partner' }, manager);
    const { data } = (await registry.call('GET', `tools?server_id=${body.id}`)).body;
    const id = data[0]?.id;
    const trustIt = (trust: string | null, as: typeof writer) => registry.call('PATCH', `tools/${id}`, { trust }, as);
    const inForce = async () =>
      (await registry.internal('GET', `toolsets?skill_ids=${body.skill_id}&tool_ids=`)).body.tools[0]?.trust;
    expect(await inForce()).toBe('partner');
    const refused = await trustIt('own', writer);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect(refused.body.detail).toContain('Trusting results of the tool first as own instead of partner needs');
    expect((await trustIt('own', manager)).body).toMatchObject({ trust: 'own', grade: 'destructive' });
    expect(await inForce()).toBe('own');
    expect((await trustIt('untrusted', writer)).status).toBe(200);
    expect(await inForce()).toBe('untrusted');
    // As its server is: that is more than it has now.
    expect((await trustIt(null, writer)).status).toBe(403);
    expect((await trustIt(null, manager)).body.trust).toBe(null);
    expect(await inForce()).toBe('partner');
    expect(await audit(id)).toMatchObject(Array(3).fill({ action: 'tool.trust_set' }));
  });

  it('may not trust answers of the hosts of a Skill, nor more hosts as far as others', async () => {
    const writes = { scopes: [...writer.scopes, 'credentials:read', 'credentials:write'] as Scope[] };
    const manages = { scopes: [...manager.scopes, 'credentials:read', 'credentials:write'] as Scope[] };
    const bound = (hosts: string[], trust?: string) => ({
      credentials: [{ credential_id: 'cred_hosts', as: 'api', hosts, ...(trust ? { trust } : {}) }],
    });
    registry.fake.credentials.set('cred_hosts', { token: 'swordfish' });
    const made = await registry.call('POST', 'skills', { name: 'Hosts', ...bound(['api.example.com']) }, writes);
    const change = (body: object, as: typeof writes) => registry.call('PATCH', `skills/${made.body.id}`, body, as);
    const refused = await change(bound(['api.example.com'], 'partner'), writes);
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    expect((await change(bound(['api.example.com'], 'partner'), manages)).status).toBe(200);
    expect((await change(bound(['api.example.com'], 'partner'), writes)).status).toBe(200);
    expect((await change(bound(['api.example.com', 'evil.example.com'], 'partner'), writes)).status).toBe(403);
    expect((await change(bound(['evil.example.com']), writes)).body.credentials).toEqual([
      { credential_id: 'cred_hosts', as: 'api', hosts: ['evil.example.com'] },
    ]);
  });
});
