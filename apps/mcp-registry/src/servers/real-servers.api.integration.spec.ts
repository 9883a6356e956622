import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { type ChildServer, startEverything } from '../testing/child-server.js';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { servedMcp } from '../testing/served-mcp.js';

let registry: RegistryWorld;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  registry = await startRegistry();
});

afterAll(async () => {
  await registry.close();
  await Promise.all(ends.map((end) => end()));
});

async function everything(transport: 'streamableHttp' | 'sse'): Promise<ChildServer> {
  const child = await startEverything(transport);
  ends.push(child.stop);
  return child;
}

async function callByName(serverId: string, name: string, args: object) {
  const { body } = await registry.call('GET', `tools?server_id=${serverId}&limit=200`);
  const found = body.data.find((one) => one.name === name);
  const call = { tool_id: found?.id, pin: found?.pin, arguments: args, call_id: 'real' };
  return (await registry.internal('POST', 'tool-calls', call)).body;
}

describe('server-everything', () => {
  it.each([
    ['streamableHttp', '/mcp', 'streamable_http'],
    ['sse', '/sse', 'sse'],
  ] as const)('is listed and called over %s', async (transport, path, kind) => {
    const { origin } = await everything(transport);
    const { status, body } = await registry.call('POST', 'mcp-servers', { url: `${origin}${path}`, name: transport });
    expect({ status, transport: body.transport, health: body.health }).toEqual({
      status: 201,
      transport: kind,
      health: 'reachable',
    });
    expect(body.tools.approved).toBeGreaterThan(5);
    // Its simulated research can only be called as a task.
    expect(body.tools.quarantined).toBe(1);
    expect(await callByName(body.id, 'echo', { message: 'hello' })).toMatchObject({ ok: true, content: 'Echo: hello' });
    expect(await callByName(body.id, 'get-sum', { a: 2, b: 3 })).toMatchObject({ ok: true, is_error: false });
  });
});

describe('a server of the 2026 protocol', () => {
  it('is used without a handshake, and called', async () => {
    const handler = createMcpHandler(() => {
      const mcp = new McpServer({ name: 'modern', version: '2' }, { capabilities: { tools: {} } });
      const inputSchema = fromJsonSchema<{ a: number }>({
        type: 'object',
        properties: { a: { type: 'number' } },
        required: ['a'],
      });
      mcp.registerTool('double', { description: 'Doubles.', inputSchema }, ({ a }) => ({
        content: [{ type: 'text', text: String(2 * a) }],
      }));
      return mcp;
    });
    const { url, asked, stop } = await servedMcp((request) => handler.fetch(request));
    ends.push(stop);
    const { body } = await registry.call('POST', 'mcp-servers', { url, name: 'modern' });
    expect(body).toMatchObject({ protocol_version: '2026-07-28', tools: { approved: 1 } });
    expect(await callByName(body.id, 'double', { a: 21 })).toMatchObject({ ok: true, content: '42' });
    expect(asked).not.toContain('initialize');
  });
});
