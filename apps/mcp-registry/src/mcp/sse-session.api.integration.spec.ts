import { until } from '#libs/testing';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool } from '../testing/fake-mcp-server.js';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';

/** A server of the 2024 protocol: answers arrive on the event stream, and the session is the stream. */
class SseServer {
  readonly streams = new Map<string, ServerResponse>();
  readonly asked: string[] = [];
  /** How a message to an unknown session is answered. */
  refusal = { status: 404, body: 'Could not find session' };
  private initialized = new Set<string>();
  private made = 0;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/sse`;
  }

  /** What a restart does to clients: streams end, sessions are unknown. */
  restart(): void {
    const ended = [...this.streams.values()];
    this.streams.clear();
    this.initialized = new Set();
    for (const stream of ended) stream.end();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://sse');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const id = `s${(this.made += 1)}`;
      this.streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Clients come back at once.
      response.write(`retry: 1\nevent: endpoint\ndata: /messages?session=${id}\n\n`);
      return;
    }
    if (url.pathname !== '/messages') return void response.writeHead(404).end();
    const id = url.searchParams.get('session') ?? '';
    const stream = this.streams.get(id);
    if (!stream) return void response.writeHead(this.refusal.status).end(this.refusal.body);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const rpc = JSON.parse(body) as { id?: number; method: string };
    this.asked.push(rpc.method);
    response.writeHead(202).end('Accepted');
    if (rpc.method === 'initialize') this.initialized.add(id);
    if (rpc.id === undefined) return;
    const answer = this.initialized.has(id)
      ? { result: resultOf(rpc.method, id) }
      : { error: { code: -32_602, message: 'Invalid request parameters' } };
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: rpc.id, ...answer })}\n\n`);
  }
}

function resultOf(method: string, session: string): object {
  if (method === 'initialize') {
    return { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } };
  }
  return method === 'tools/list'
    ? { tools: [tool('first')] }
    : { content: [{ type: 'text', text: `done in ${session}` }] };
}

describe('a server that speaks by an event stream', () => {
  let registry: RegistryWorld;
  const server = new SseServer();
  let one: { id: string; pin: string | null };

  beforeAll(async () => {
    registry = await startRegistry();
    const { body } = await registry.call('POST', 'mcp-servers', { url: await server.start(), name: 'old' });
    expect(body.transport).toBe('sse');
    one = (await registry.call('GET', `tools?server_id=${body.id}`)).body.data[0]!;
  });
  afterAll(async () => {
    await registry.close();
    await server.stop();
  });

  const call = async (callId: string, conversation = 'ses_a', from = registry) => {
    const body = { tool_id: one.id, pin: one.pin, arguments: {}, call_id: callId, conversation };
    return (await from.internal('POST', 'tool-calls', body)).body;
  };
  const count = (method: string) => server.asked.filter((each) => each === method).length;

  it.each([
    ['404', { status: 404, body: 'Could not find session' }],
    ['400', { status: 400, body: 'No transport found for sessionId' }],
    ['500', { status: 500, body: 'Session not found' }],
  ])('is called on a new session after it was restarted, shown by %s', async (_how, refusal) => {
    server.refusal = refusal;
    expect(await call('trn_1.a')).toMatchObject({ ok: true });
    const [made, called] = [count('initialize'), count('tools/call')];
    server.restart();
    expect(await call('trn_1.b')).toMatchObject({
      ok: true,
      content: expect.stringContaining('done'),
      session_renewed: 'lost',
    });
    expect([count('initialize'), count('tools/call')]).toEqual([made + 1, called + 1]);
    expect(await call('trn_1.c')).not.toHaveProperty('session_renewed');
  });

  it('is not called on a stream that was opened anew without a handshake', async () => {
    await call('trn_2.a');
    const streams = server.streams.size;
    server.restart();
    // The client opens the stream again by itself; the registry ends that connection.
    await until('no stream is open', () => server.streams.size < Math.max(1, streams));
    expect(await call('trn_2.b')).toMatchObject({
      ok: true,
      content: expect.stringContaining('done'),
      session_renewed: 'lost',
    });
  });

  it('has a stream for each conversation, and another process says that what it had is gone', async () => {
    const [a, b] = [(await call('trn_4.a')).content, (await call('trn_4.b', 'ses_b')).content];
    expect(a).not.toBe(b);
    expect([(await call('trn_4.c')).content, (await call('trn_4.d', 'ses_b')).content]).toEqual([a, b]);
    const other = await startRegistry({ DATABASE_URL: registry.databaseUrl });
    const elsewhere = await call('trn_5.a', 'ses_a', other);
    expect(elsewhere).toMatchObject({ ok: true, session_renewed: 'lost' });
    expect([a, b]).not.toContain(elsewhere.content);
    expect(await call('trn_5.b', 'ses_a', other)).not.toHaveProperty('session_renewed');
    // It was not one session with two heads meanwhile.
    expect(await call('trn_5.c')).toMatchObject({ ok: true, session_renewed: 'lost' });
    await other.close();
  });
});
