import { until } from '#libs/testing';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { Browser } from '../vault/browser.js';
import { openProtectedMcpServer, type ProtectedMcpServer } from './protected-mcp-server.js';
import { startSmallSystem, type System } from './system.js';

interface Registered {
  server: { id: string; health: string };
  credential_id: string;
  connect_path: string;
}

describe('an MCP server that requires OAuth 2.1', () => {
  let system: System;
  let provider: AuthorizationServer;
  let mcp: ProtectedMcpServer;
  let registered: Registered;
  let tool: { id: string; name: string; state: string };

  beforeAll(async () => {
    system = await startSmallSystem();
    provider = await startAuthorizationServer({ redirectUris: [], accessTokenSeconds: 10 });
    mcp = await openProtectedMcpServer(provider.url);
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([mcp?.close(), provider?.close()]);
  });

  const call = (text: string): Promise<{ ok: boolean; content: string }> =>
    system.api('POST', `/api/v1/tools/${tool.id}/try`, { arguments: { text } });

  it('is found by its challenge, and Gatehouse becomes a client of its authorization server', async () => {
    registered = await system.api('POST', '/api/v1/mcp-servers/oauth', { url: mcp.url, name: 'Guarded' });
    expect(registered.server.health).toBe('auth_failed');
    const credential = await system.api('GET', `/api/v1/credentials/${registered.credential_id}`);
    expect(credential).toMatchObject({
      status: 'pending',
      fields: ['client_id', 'client_secret'],
      managed_for: `mcp_server:${registered.server.id}`,
    });
  });

  it('is connected by a person’s consent, for this resource', async () => {
    const portal = system.origin('portal');
    const started = await fetch(`${portal}${registered.connect_path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { authorization_url: url } = (await started.json()) as { authorization_url: string };
    const asked = new URL(url).searchParams;
    expect(asked.get('resource')).toBe(mcp.url);
    expect(asked.get('code_challenge_method')).toBe('S256');
    const browser = new Browser();
    browser.set(portal, started.headers.get('set-cookie') ?? '');
    const callback = await browser.follow(url, `${portal}/api/v1/oauth/callback/`);
    expect(await (await browser.get(callback.href, { accept: 'text/html' })).text()).toContain('Connected');
    const { requests } = await provider.recorded();
    expect(requests).toMatchObject([{ grant: 'authorization_code', status: 200, resource: mcp.url }]);
  });

  it('is listed and called with the token', async () => {
    const path = `/api/v1/mcp-servers/${registered.server.id}/discover`;
    expect(await system.api('POST', path)).toMatchObject({ health: 'reachable', tools: { approved: 1 } });
    const tools = await system.api<{ data: (typeof tool)[] }>('GET', `/api/v1/tools?server_id=${registered.server.id}`);
    [tool] = tools.data as [typeof tool];
    expect(tool).toMatchObject({ name: 'echo', state: 'approved' });
    expect(await call('hello')).toMatchObject({ ok: true, content: 'hello' });
  });

  it('gets a new token by itself before the old one expires, for the same resource, and no call fails meanwhile', async () => {
    const first = mcp.uses.at(-1)!;
    const from = mcp.uses.length;
    await until('the first token has expired, and calls continue', async () => {
      expect(await call('still here')).toMatchObject({ ok: true });
      return Date.now() / 1_000 > first.expiresAt && mcp.uses.at(-1)?.token !== first.token;
    });
    expect(new Set(mcp.uses.slice(from).map(({ status }) => status))).toEqual(new Set([200]));
    const refreshes = await provider.refreshes();
    expect(refreshes.length).toBeGreaterThanOrEqual(1);
    expect(new Set(refreshes.map(({ resource }) => resource))).toEqual(new Set([mcp.url]));
    expect(await system.refusedByRedis()).toEqual([]);
  });

  it('deletes its credential and its tokens when it is unregistered', async () => {
    await system.api('DELETE', `/api/v1/mcp-servers/${registered.server.id}`);
    await expect(system.api('GET', `/api/v1/credentials/${registered.credential_id}`)).rejects.toThrow(/404/);
    await until('the refresh token is revoked', async () => {
      const { issued, revoked } = await provider.recorded();
      return revoked.includes(issued.at(-1)?.token ?? '');
    });
    await until('nothing waits', async () => {
      const path = '/api/v1/credentials/revocations';
      return (await system.api<{ data: unknown[] }>('GET', path)).data.length === 0;
    });
    expect(system.logs()).not.toContain(mcp.uses.at(-1)?.token);
  });
});
