import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';

interface SiteAnswer {
  status: number;
  type: string;
  body: string;
}

let registry: RegistryWorld;
let site: Server;
let answer: SiteAnswer;

beforeAll(async () => {
  registry = await startRegistry();
  site = createServer((request, response) => {
    request.resume();
    const body = answer.body.replaceAll('$AUTH', request.headers.authorization ?? '');
    request.once('end', () => response.writeHead(answer.status, { 'content-type': answer.type }).end(body));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await registry.close();
});

const register = async (changed: Partial<SiteAnswer>, more: object = {}) => {
  answer = { status: 200, type: 'application/json', body: '', ...changed };
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/mcp`;
  const { status, body } = await registry.call('POST', 'mcp-servers', { url, name: 'Site', ...more });
  expect(status).toBe(422);
  return { code: body.code, detail: body.detail ?? '' };
};

describe('a server that refuses its registration', () => {
  const rpc = (message: string) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
  it.each<[number, string, string, string]>([
    [403, rpc('Invalid Host header: gateway'), 'mcp_refused', '(HTTP 403): Invalid Host header: gateway.'],
    [403, 'Host 127.0.0.1 is not allowed', 'mcp_refused', '(HTTP 403): Host 127.0.0.1 is not allowed.'],
    [403, rpc('Origin not allowed'), 'mcp_refused', '(HTTP 403): Origin not allowed.'],
    [421, 'Invalid Host', 'mcp_refused', '(HTTP 421): Invalid Host.'],
    [403, '', 'mcp_auth_failed', 'refuses the credential (HTTP 403).'],
    [403, 'Forbidden', 'mcp_auth_failed', '(HTTP 403): Forbidden.'],
    [403, '{"error":"insufficient_scope"}', 'mcp_auth_failed', '(HTTP 403): insufficient_scope.'],
    [403, '{"message":"This token may not list"}', 'mcp_auth_failed', '(HTTP 403): This token may not list.'],
    [403, '<html><title>Blocked by the firewall</title>', 'mcp_refused', '(HTTP 403): Blocked by the firewall.'],
    [400, rpc('Bad Request: wrong tenant'), 'mcp_protocol_error', 'Bad Request: wrong tenant'],
    [500, '{"detail":"database is away"}', 'mcp_unreachable', '(HTTP 500): database is away.'],
    [429, 'Slow down', 'mcp_unreachable', '(HTTP 429): Slow down.'],
  ])('by %i %j is quoted as it is', async (status, body, code, words) => {
    const refusal = await register({ status, body });
    expect(refusal.code).toBe(code);
    expect(refusal.detail).toContain(words);
  });

  it('does not give away the credential that it repeats', async () => {
    registry.fake.credentials.set('cred_echoed', { token: 'sesame-open' });
    const bearer = { auth: { mode: 'bearer', credential_id: 'cred_echoed' } };
    const { detail } = await register({ status: 403, body: 'No such token: $AUTH' }, bearer);
    expect(detail).toContain('No such token: [credential]');
    expect(detail).not.toContain('sesame');
  });

  it.each<[Partial<SiteAnswer>, string]>([
    [{ type: 'text/html', body: '<html><title>Welcome</title>' }, 'it sent a web page'],
    [{ type: 'text/plain', body: 'hello' }, 'it sent text/plain'],
    [{ body: '{"hello":"world"}' }, 'it sent something that is no message of MCP'],
    [{ body: '{"jsonrpc":"2.0","id":1,"result":' }, 'it sent something that is no message of MCP'],
  ])('is no MCP server: one plain sentence (%j)', async (given, words) => {
    const { code, detail } = await register(given);
    expect(code).toBe('mcp_protocol_error');
    expect(detail).toContain(words);
    expect(detail).not.toMatch(/[{}[\]]|invalid_|Zod|Unexpected/);
  });
});

describe('a registered server', () => {
  const registered = async (script: (server: FakeMcpServer) => void) => {
    const server = await FakeMcpServer.start();
    script(server);
    const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: 'S' });
    const tools = (await registry.call('GET', `tools?server_id=${body.id}`)).body.data;
    return { server, id: body.id as string, tools };
  };

  it('says which tools can only be called as tasks', async () => {
    const list = {
      tools: [
        tool('slow', { execution: { taskSupport: 'required' } }),
        tool('quick', { execution: { taskSupport: 'optional' } }),
      ],
    };
    const { server, tools } = await registered(({ script }) => (script.list = () => list));
    expect(Object.fromEntries(tools.map((one) => [one.name, [one.state, one.problem]]))).toEqual({
      slow: ['quarantined', expect.stringContaining('taskSupport: required')],
      quick: ['approved', null],
    });
    await server.stop();
  });

  it('is as healthy as its last call', async () => {
    const { server, id, tools } = await registered(() => undefined);
    const [first] = tools;
    const after = async (wants: Record<string, string>, more: object = {}) => {
      server.script.wants = wants;
      await registry.call('POST', `tools/${first?.id}/try`, { arguments: {}, ...more });
      const { body } = await registry.call('GET', `mcp-servers/${id}`);
      return [body.health, body.health_reason];
    };
    expect(await after({})).toEqual(['reachable', null]);
    expect(await after({ authorization: 'other' })).toEqual(['auth_failed', expect.stringContaining('HTTP 401')]);
    expect(await after({})).toEqual(['reachable', null]);
    server.script.delayMs = 60_000;
    expect(await after({}, { timeout_ms: 200 })).toEqual(['reachable', null]);
    await server.stop();
    expect(await after({})).toEqual(['degraded', expect.stringContaining('unreachable')]);
  });
});
