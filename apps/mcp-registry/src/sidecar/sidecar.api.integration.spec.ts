import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { clientOf, initialize, postMessage, sidecarToken as token, SidecarsWorld } from '../testing/sidecar-world.js';

const sidecars = new SidecarsWorld();
const { home } = sidecars;
let registry: RegistryWorld;
let client: ReturnType<typeof clientOf>;
let origin: string;

beforeAll(async () => {
  registry = await startRegistry({ MCP_CONNECT_TIMEOUT_MS: 30_000, MCP_CALL_TIMEOUT_MS: 30_000 });
  client = clientOf(registry);
  ({ origin } = await sidecars.start());
});

afterAll(async () => {
  await registry.close();
  await sidecars.stop();
  sidecars.clean();
});

const register = (server: string, name = server, credential?: string) =>
  client.register(`${origin}/${server}/mcp`, name, credential);
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  postMessage(`${origin}${path}`, body, headers);

describe('npm servers behind the sidecar', () => {
  it('filesystem is registered, discovered and called', async () => {
    const { status, body } = await register('files');
    expect({ status, transport: body.transport, health: body.health }).toEqual({
      status: 201,
      transport: 'streamable_http',
      health: 'reachable',
    });
    expect(body.tools.approved).toBeGreaterThan(8);
    const path = join(home, 'note.txt');
    expect(await client.callTool(body.id, 'write_file', { path, content: 'kept by the sidecar' })).toMatchObject({
      ok: true,
    });
    expect(readFileSync(path, 'utf8')).toBe('kept by the sidecar');
    const read = await client.callTool(body.id, 'read_text_file', { path });
    expect(read).toMatchObject({ ok: true, is_error: false });
    expect(JSON.stringify(read.content)).toContain('kept by the sidecar');
    expect(await client.callTool(body.id, 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ is_error: true });
  });

  it('memory is registered, discovered and called', async () => {
    const { body } = await register('memory');
    expect(body).toMatchObject({ health: 'reachable', transport: 'streamable_http' });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
    expect(await client.callTool(body.id, 'create_entities', { entities })).toMatchObject({
      ok: true,
      is_error: false,
    });
    const found = await client.callTool(body.id, 'search_nodes', { query: 'Ada' });
    expect(JSON.stringify(found.content)).toContain('writes programs');
  });
});

describe('a process that exits', () => {
  it('fails the call that it was serving, and the next call gets a new one', async () => {
    const { body: server } = await register('child', 'dies');
    const first = (await client.callTool(server.id, 'whoami')).content;
    expect(await client.callTool(server.id, 'die')).toMatchObject({ ok: false });
    const next = await client.callTool(server.id, 'whoami');
    expect(next).toMatchObject({ ok: true });
    expect(next.content).not.toBe(first);
    expect(sidecars.sessions()).toContainEqual(
      expect.objectContaining({ server: 'child', end: 'process_ended', requests: expect.any(Number) }),
    );
  });

  it('is started twice, and then with a wait', async () => {
    expect((await register('broken')).status).toBeGreaterThanOrEqual(400);
    const refused = await until('it is no longer started', async () => {
      const answer = await post('/broken/mcp', initialize);
      await answer.text();
      return answer.status === 503 && answer;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(readFileSync(join(home, 'broken'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('is distinguished from a program that does not exist', async () => {
    expect((await post('/missing/mcp', initialize)).status).toBe(503);
    expect(sidecars.logged).toContainEqual(expect.objectContaining({ event: 'sidecar.start_failed', code: 'ENOENT' }));
  });
});

describe('a caller', () => {
  it.each([
    ['none', ''],
    ['another one', 'Bearer a-token-that-somebody-made-up-by-himself'],
    ['a part of it', `Bearer ${token.slice(0, -1)}`],
  ])('is refused with %s as token, before anything is started', async (_which, authorization) => {
    const before = sidecars.pids.length;
    const answer = await post('/child/mcp', initialize, { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(sidecars.pids).toHaveLength(before);
  });

  it('learns from the registry that its credential is refused', async () => {
    registry.fake.credentials.set('cred_wrong', { token: 'a-token-that-somebody-made-up-by-himself' });
    const { status, body } = await register('memory', 'wrong', 'cred_wrong');
    expect({ status, code: body.code }).toEqual({ status: 422, code: expect.stringContaining('auth') });
  });

  it('names no command: servers are those of the file', async () => {
    expect((await post('/other/mcp', initialize)).status).toBe(404);
    expect((await post('/..%2fchild/mcp', initialize)).status).toBe(404);
  });

  it('does not reach the session of another server', async () => {
    const answer = await post('/child/mcp', initialize);
    const id = answer.headers.get('mcp-session-id') ?? '';
    await answer.body?.cancel();
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect((await post('/memory/mcp', list, { 'mcp-session-id': id })).status).toBe(404);
    expect((await post('/child/mcp', list, { 'mcp-session-id': id })).status).toBe(200);
    expect((await post('/child/mcp', list)).status).toBe(400);
  });

  it('reopens its notification stream when it was cut', async () => {
    const answer = await post('/child/mcp', initialize);
    await answer.text();
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'mcp-session-id': answer.headers.get('mcp-session-id') ?? '',
    };
    const cut = new AbortController();
    expect((await fetch(`${origin}/child/mcp`, { headers, signal: cut.signal })).status).toBe(200);
    expect((await fetch(`${origin}/child/mcp`, { headers })).status).toBe(409);
    cut.abort();
    await until('no stream is left', async () => {
      const afterwards = await fetch(`${origin}/child/mcp`, { headers });
      await afterwards.body?.cancel();
      return afterwards.status === 200;
    });
  });

  it('finds in its process nothing of the sidecar except what the file gives', async () => {
    process.env['MCP_SIDECAR_TOKEN'] = token;
    const { body } = await register('child', 'env');
    delete process.env['MCP_SIDECAR_TOKEN'];
    expect((await client.callTool(body.id, 'token')).content).toBe(JSON.stringify([null, 'by the file']));
  });
});
