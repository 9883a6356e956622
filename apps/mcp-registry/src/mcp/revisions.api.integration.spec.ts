import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { until } from '#libs/testing';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { type ServedMcp, servedMcp } from '../testing/served-mcp.js';

let registry: RegistryWorld;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  registry = await startRegistry({ DISCOVERY_SWEEP_MS: 50, DISCOVERY_TTL_MIN_MS: 500, DISCOVERY_TTL_MAX_MS: 60_000 });
});

afterAll(async () => {
  await registry.close();
  await Promise.all(ends.map((end) => end()));
});

const inputSchema = fromJsonSchema({ type: 'object' });

/** A real server, which says that its listing holds so long. */
function greeter(ttlMs?: number): McpServer {
  const hints = ttlMs === undefined ? {} : { cacheHints: { 'tools/list': { ttlMs } } };
  const mcp = new McpServer({ name: 'greeter', version: '1' }, { capabilities: { tools: {} }, ...hints });
  mcp.registerTool('greet', { description: 'Greets.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'hello' }],
  }));
  return mcp;
}

async function served(handle: (request: Request) => Promise<Response>): Promise<ServedMcp> {
  const mcp = await servedMcp(handle);
  ends.push(mcp.stop);
  return mcp;
}

const counted = (asked: string[], method: string): number => asked.filter((one) => one === method).length;
const registered = async (url: string, name: string) =>
  (await registry.call('POST', 'mcp-servers', { url, name })).body;

async function greet(serverId: string, conversation: string) {
  const { body } = await registry.call('GET', `tools?server_id=${serverId}`);
  const [{ id, pin } = { id: '', pin: '' }] = body.data;
  const call = { tool_id: id, pin, arguments: {}, call_id: `${conversation}.1`, conversation };
  return (await registry.internal('POST', 'tool-calls', call)).body;
}

describe('the revision of a server', () => {
  it('is asked for once where it is older: each session begins with initialize at once', async () => {
    const server = await FakeMcpServer.start();
    ends.push(() => server.stop());
    const { id, protocol_version: revision } = await registered(server.url, 'older');
    expect([revision, server.count('server/discover'), server.count('initialize')]).toEqual(['2025-06-18', 1, 1]);
    for (const conversation of ['ada', 'bob', 'eve']) expect(await greet(id, conversation)).toMatchObject({ ok: true });
    expect([server.count('server/discover'), server.count('initialize')]).toEqual([1, 4]);
  });

  it('is asked for again when a server no longer knows initialize', async () => {
    const older = createMcpHandler(() => greeter());
    const newer = createMcpHandler(() => greeter(), { legacy: 'reject' });
    let isNew = false;
    const { url, asked } = await served(async (request) => {
      if (isNew) return newer.fetch(request);
      if (request.method !== 'POST') return older.fetch(request);
      const { id, method } = (await request.clone().json()) as { id: number; method: string };
      // As servers of 2025 answer what they do not know.
      if (method !== 'server/discover') return older.fetch(request);
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    });
    const { id, protocol_version: revision } = await registered(url, 'upgraded');
    expect(revision).toBe('2025-11-25');
    isNew = true;
    await registry.restart();
    expect(await greet(id, 'ada')).toMatchObject({ ok: true, content: 'hello' });
    expect(counted(asked, 'server/discover')).toBe(2);
    expect((await registry.call('POST', `mcp-servers/${id}/discover`)).body.protocol_version).toBe('2026-07-28');
  });
});

describe('a listing that says how long it holds', () => {
  it('is not asked for before, and is when that has passed', async () => {
    const handler = createMcpHandler(() => greeter(1_500));
    const { url, asked } = await served((request) => handler.fetch(request));
    const before = Date.now();
    const { list_ttl_ms: holds, next_listing_at: next } = await registered(url, 'brief');
    expect(holds).toBe(1_500);
    await until('it is listed again', () => counted(asked, 'tools/list') === 2);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_500);
    expect(Date.parse(next) - before).toBeGreaterThanOrEqual(1_500);
  });

  it('is asked for at a bounded time, whatever the server says', async () => {
    const handler = createMcpHandler(() => greeter(900_000_000));
    const { url } = await served((request) => handler.fetch(request));
    const { list_ttl_ms: holds } = await registered(url, 'endless');
    expect(holds).toBe(60_000);
  });

  it('holds as long as its page that holds for the shortest time', async () => {
    const server = await FakeMcpServer.start();
    ends.push(() => server.stop());
    server.script.list = (cursor) =>
      cursor === undefined
        ? { tools: [tool('first')], nextCursor: 'two', ttlMs: 50_000 }
        : { tools: [tool('second')], ttlMs: 20_000 };
    expect((await registered(server.url, 'paged')).list_ttl_ms).toBe(20_000);
  });

  it('is at the usual interval where a page does not say it', async () => {
    const server = await FakeMcpServer.start();
    ends.push(() => server.stop());
    server.script.list = (cursor) =>
      cursor === undefined ? { tools: [tool('first')], nextCursor: 'two' } : { tools: [tool('second')], ttlMs: 20_000 };
    expect((await registered(server.url, 'half-said')).list_ttl_ms).toBeNull();
  });
});
