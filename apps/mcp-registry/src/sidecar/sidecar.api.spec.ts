import { until } from '#libs/testing';
import type { FastifyInstance } from 'fastify';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type RegistryUnderTest, startRegistry } from '../testing/registry-under-test.js';
import type { SidecarSettings } from './env.js';
import { readServerFile } from './server-file.js';
import { createSidecar } from './sidecar.js';

const token = 'a-token-of-the-operator-for-this-test';
const home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-sidecar-')));
const pidsFile = join(home, 'pids');
const filesystem = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
const child = fileURLToPath(new URL('../testing/stdio-child.mjs', import.meta.url));
const node = process.execPath;

const logged: Record<string, unknown>[] = [];
const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
let registry: RegistryUnderTest;
let origin: string;
const others: FastifyInstance[] = [];

function settings(more: Partial<SidecarSettings> = {}): SidecarSettings {
  const file = join(home, 'servers.json');
  const mcpServers = {
    files: { command: node, args: [filesystem, home] },
    memory: { command: node, args: [memory], env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
    child: { command: node, args: [child], env: { PIDS: pidsFile, GIVEN: 'by the file' } },
    broken: { command: node, args: [child], env: { PIDS: join(home, 'broken'), BROKEN: 'yes' } },
    missing: { command: join(home, 'no-such-program') },
  };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return {
    PORT: 8080,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    MCP_SIDECAR_FILE: readServerFile(file),
    MCP_SIDECAR_TOKEN: token,
    MCP_SIDECAR_MESSAGE_BYTES: 65_536,
    MCP_SIDECAR_SESSIONS: 8,
    MCP_SIDECAR_PENDING: 8,
    MCP_SIDECAR_IDLE_MS: 60_000,
    MCP_SIDECAR_HEALTHY_MS: 60_000,
    MCP_SIDECAR_BACKOFF_MS: 60_000,
    MCP_SIDECAR_BACKOFF_MAX_MS: 60_000,
    ...more,
  };
}

async function started(more: Partial<SidecarSettings> = {}): Promise<{ app: FastifyInstance; origin: string }> {
  const app = createSidecar(settings(more), log);
  others.push(app);
  return { app, origin: await app.listen({ port: 0, host: '127.0.0.1' }) };
}

beforeAll(async () => {
  registry = await startRegistry();
  registry.stub.credentials.set('cred_sidecar', { token });
  registry.stub.credentials.set('cred_wrong', { token: 'a-token-that-somebody-made-up-by-himself' });
  ({ origin } = await started());
});

afterAll(async () => {
  await registry.close();
  await Promise.all(others.map((app) => app.close()));
  rmSync(home, { recursive: true, force: true });
});

const register = (name: string, more: { credential?: string; at?: string; slug?: string } = {}) =>
  registry.call('POST', '/mcp-servers', {
    url: `${more.at ?? origin}/${name}/mcp`,
    name: more.slug ?? name,
    policy: 'auto',
    auth: { mode: 'bearer', credential_id: more.credential ?? 'cred_sidecar' },
  });

async function callTool(serverId: string, name: string, args: object = {}) {
  const { body } = await registry.call('GET', `/tools?server_id=${serverId}&limit=200`);
  const { id, pin } = body.data.find((one: { name: string }) => one.name === name);
  return (await registry.internal('POST', '/tool-calls', { tool_id: id, pin, arguments: args, call_id: 'c' })).body;
}

const post = (path: string, body: string, headers: Record<string, string> = {}, at = origin) =>
  fetch(`${at}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const pids = (): number[] => readFileSync(pidsFile, 'utf8').trim().split('\n').map(Number);
const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);
const sessionLines = () => logged.filter(({ event }) => event === 'sidecar.session');

describe('servers of npm behind the sidecar', () => {
  it('filesystem is registered, discovered and called', async () => {
    const { status, body } = await register('files');
    expect({ status, transport: body.transport, health: body.health }).toEqual({
      status: 201,
      transport: 'streamable_http',
      health: 'reachable',
    });
    expect(body.tools.approved).toBeGreaterThan(8);
    const path = join(home, 'note.txt');
    expect(await callTool(body.id, 'write_file', { path, content: 'kept by the sidecar' })).toMatchObject({ ok: true });
    expect(readFileSync(path, 'utf8')).toBe('kept by the sidecar');
    const read = await callTool(body.id, 'read_text_file', { path });
    expect(read).toMatchObject({ ok: true, is_error: false });
    expect(JSON.stringify(read.content)).toContain('kept by the sidecar');
    expect(await callTool(body.id, 'read_text_file', { path: '/etc/passwd' })).toMatchObject({ is_error: true });
  });

  it('memory is registered, discovered and called', async () => {
    const { body } = await register('memory');
    expect(body).toMatchObject({ health: 'reachable', transport: 'streamable_http' });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
    expect(await callTool(body.id, 'create_entities', { entities })).toMatchObject({ ok: true, is_error: false });
    const found = await callTool(body.id, 'search_nodes', { query: 'Ada' });
    expect(JSON.stringify(found.content)).toContain('writes programs');
  });
});

describe('a process that ends', () => {
  it('fails the call that it was on, and the next call gets a new one', async () => {
    const { body: server } = await register('child', { slug: 'dies' });
    const first = (await callTool(server.id, 'whoami')).content;
    expect(await callTool(server.id, 'die')).toMatchObject({ ok: false });
    const next = await callTool(server.id, 'whoami');
    expect(next).toMatchObject({ ok: true });
    expect(next.content).not.toBe(first);
    expect(sessionLines()).toContainEqual(
      expect.objectContaining({ server: 'child', end: 'process_ended', requests: expect.any(Number) }),
    );
  });

  it('is started twice, and then waited for', async () => {
    expect((await register('broken')).status).toBeGreaterThanOrEqual(400);
    const answers = [];
    for (let tried = 0; tried < 3; tried += 1) answers.push(await post('/broken/mcp', initialize));
    const last = answers.at(-1);
    expect(last?.status).toBe(503);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(readFileSync(join(home, 'broken'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('is told from a program that is not there', async () => {
    expect((await post('/missing/mcp', initialize)).status).toBe(503);
    expect(logged).toContainEqual(expect.objectContaining({ event: 'sidecar.start_failed', code: 'ENOENT' }));
  });
});

describe('a caller', () => {
  it.each([
    ['none', ''],
    ['another one', 'Bearer a-token-that-somebody-made-up-by-himself'],
    ['a part of it', `Bearer ${token.slice(0, -1)}`],
  ])('is refused with %s for a token, before anything is started', async (_which, authorization) => {
    const before = pids().length;
    const answer = await post('/child/mcp', initialize, { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(pids()).toHaveLength(before);
  });

  it('is told by the registry that its credential is refused', async () => {
    const { status, body } = await register('memory', { credential: 'cred_wrong', slug: 'wrong' });
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

  it('opens its stream for notifications again when it was cut', async () => {
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
    await until('there is no stream any more', async () => {
      const again = await fetch(`${origin}/child/mcp`, { headers });
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  it('finds nothing of the sidecar in its process but what the file gives', async () => {
    process.env['MCP_SIDECAR_TOKEN'] = token;
    const { body } = await register('child', { slug: 'env' });
    delete process.env['MCP_SIDECAR_TOKEN'];
    expect((await callTool(body.id, 'token')).content).toBe(JSON.stringify([null, 'by the file']));
  });
});

describe('limits', () => {
  it('refuse a message over the size, in both directions', async () => {
    const params = { padding: 'x'.repeat(70_000) };
    expect((await post('/child/mcp', JSON.stringify({ ...JSON.parse(initialize), params }))).status).toBe(413);
    const { body } = await register('child', { slug: 'shouts' });
    expect(await callTool(body.id, 'shout', { bytes: 1_000 })).toMatchObject({ ok: true });
    expect(await callTool(body.id, 'shout', { bytes: 100_000 })).toMatchObject({ ok: false });
  });

  it('refuse one session more than there may be, until one ends', async () => {
    const { origin: at } = await started({ MCP_SIDECAR_SESSIONS: 1 });
    const one = () => post('/child/mcp', initialize, {}, at);
    const first = await one();
    expect(first.status).toBe(200);
    expect((await one()).status).toBe(503);
    const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': first.headers.get('mcp-session-id') ?? '' };
    expect((await fetch(`${at}/child/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await one()).status).toBe(200);
  });

  it('refuse a request too many of one session, until one is answered or cancelled', async () => {
    const { origin: at } = await started({ MCP_SIDECAR_PENDING: 1 });
    const answer = await post('/child/mcp', initialize, {}, at);
    const headers = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
    await answer.text();
    const send = async (message: object) => {
      const { status } = await post('/child/mcp', JSON.stringify({ jsonrpc: '2.0', ...message }), headers, at);
      return status;
    };
    expect(await send({ method: 'notifications/initialized' })).toBe(202);
    const call = { method: 'tools/call', params: { name: 'silence', arguments: {} } };
    expect(await send({ id: 5, ...call })).toBe(200);
    expect(await send({ id: 6, ...call })).toBe(429);
    expect(await send({ method: 'notifications/cancelled', params: { requestId: 5 } })).toBe(202);
    expect(await send({ id: 7, method: 'tools/list' })).toBe(200);
  });

  it('end a session that nobody asks any more', async () => {
    const { origin: at } = await started({ MCP_SIDECAR_IDLE_MS: 200 });
    const answer = await post('/child/mcp', initialize, {}, at);
    await answer.body?.cancel();
    await until('the session is ended', () => sessionLines().some(({ end }) => end === 'idle'));
  });
});

describe('stopping', () => {
  it('ends every process, and answers what was under way', async () => {
    const { app, origin: at } = await started();
    const { body } = await register('child', { slug: 'stops', at });
    const mine = Number((await callTool(body.id, 'whoami')).content);
    expect(runs(mine)).toBe(true);
    const waiting = callTool(body.id, 'silence');
    await until('the process has the call', () => existsSync(`${pidsFile}.heard`));
    await app.close();
    expect(runs(mine)).toBe(false);
    expect(await waiting).toMatchObject({ ok: false });
    await Promise.all(others.map((other) => other.close()));
    await until('no process is left', () => pids().every((pid) => !runs(pid)));
  });
});
