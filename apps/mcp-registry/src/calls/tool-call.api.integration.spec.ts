import { until } from '#libs/testing';
import { request } from 'node:http';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer, tool } from '../testing/fake-mcp-server.js';

let registry: RegistryWorld;
let server: FakeMcpServer;
let toolId: string;
let pin: string;
let calls = 0;

beforeAll(async () => {
  registry = await startRegistry();
});

afterAll(async () => {
  await registry.close();
});

beforeEach(async () => {
  server = await FakeMcpServer.start();
  const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: `c${(calls += 1)}` });
  const tools = await registry.call('GET', `tools?server_id=${body.id}`);
  const [tool] = tools.body.data;
  toolId = tool?.id ?? '';
  pin = tool?.pin ?? '';
});

afterEach(async () => {
  await server.stop();
});

const call = async (more: object = {}) => {
  const body = { tool_id: toolId, pin, arguments: { text: 'hi' }, call_id: 'c1', ...more };
  return (await registry.internal('POST', 'tool-calls', body)).body;
};
const records = async () => (await registry.call('GET', `tools/${toolId}/calls`)).body.data;

describe('a tool call', () => {
  it('gives the images of its result to a caller that takes them, within its limit and that of the registry', async () => {
    const data = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000)]).toString('base64');
    const image = { type: 'image', mimeType: 'image/png', data };
    server.script.call = () => ({ content: [image, image, image] });
    const images = async (image_bytes?: number) =>
      (await call(image_bytes === undefined ? {} : { image_bytes })).images ?? null;
    expect(await images()).toBeNull();
    expect(await images(0)).toBeNull();
    expect(await images(2_008)).toEqual([{ media_type: 'image/png', data }]);
    // MCP_IMAGE_BYTES holds two.
    expect(await images(100_000)).toHaveLength(2);
  });

  it.each([false, true])('returns what the tool answers, and leaves a record (as a stream: %s)', async (streams) => {
    server.script.streams = streams;
    server.script.call = (name, args) => ({
      content: [
        { type: 'text', text: `${name} ${JSON.stringify(args)}` },
        { type: 'image', mimeType: 'image/png', data: Buffer.alloc(9).toString('base64') },
      ],
      structuredContent: { n: 1 },
    });
    expect(await call()).toEqual({
      ok: true,
      content: 'first {"text":"hi"}\n[image, image/png, 9 bytes]',
      is_error: false,
      truncated: false,
      structured: { n: 1 },
    });
    expect(await records()).toMatchObject([
      { call_id: 'c1', caller: 'service:engine', outcome: 'ok', tool_name: 'first', pin, truncated: false },
    ]);
    expect(JSON.stringify(await records())).not.toContain('hi"');
  });

  it('distinguishes a failure of the tool itself from a failure of the call', async () => {
    server.script.call = () => ({ isError: true, content: [{ type: 'text', text: 'no such city' }] });
    expect(await call()).toMatchObject({ ok: true, is_error: true, content: 'no such city' });
    server.script.call = () => undefined;
    expect(await call()).toMatchObject({ ok: false, error: 'refused', retryable: true });
    expect((await records()).map((one) => one.outcome)).toEqual(['refused', 'tool_error']);
  });

  it('checks a result by the output schema, in time even for a pattern that would block the process', async () => {
    const outputSchema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    server.script.list = () => ({ tools: [tool('strict', { outputSchema })] });
    const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: 'strict', slug: 'strict' });
    const [strict] = (await registry.call('GET', `tools?server_id=${body.id}`)).body.data;
    const result = async (text: string) => {
      server.script.call = () => ({ content: [], structuredContent: { text } });
      return call({ tool_id: strict?.id, pin: strict?.pin });
    };
    expect(await result('aaa')).toMatchObject({ ok: true, structured: { text: 'aaa' } });
    expect(await result(`${'a'.repeat(5_000)}!`)).toMatchObject({ ok: false });
  });

  it('is refused when the definition is no longer the one that it was made for', async () => {
    expect(await call({ pin: 'a'.repeat(64) })).toMatchObject({ ok: false, error: 'tool_changed', retryable: false });
    expect(server.count('tools/call')).toBe(0);
  });

  it('ends at its timeout', async () => {
    server.script.delayMs = 60_000;
    expect(await call({ timeout_ms: 200 })).toMatchObject({ ok: false, error: 'timeout' });
    expect(await records()).toMatchObject([{ outcome: 'timeout' }]);
    await until('its connection is closed', () => server.hungUp === 1);
    await until('the server has the cancellation', () => server.count('notifications/cancelled') === 1);
  });

  it('ends at the server when the caller hangs up', async () => {
    server.script.delayMs = 60_000;
    const body = JSON.stringify({ tool_id: toolId, pin, arguments: {}, call_id: 'c2' });
    const authorization = `Bearer ${await registry.token({ scopes: ['service'] })}`;
    const headers = { authorization, 'content-type': 'application/json', 'content-length': body.length };
    const hanging = request(`${registry.url}/internal/tool-calls`, { method: 'POST', headers });
    hanging.on('error', () => undefined).end(body);
    await until('the server has the call', () => server.count('tools/call') === 1);
    hanging.destroy();
    await until('the call ended there', () => server.hungUp === 1);
    await until('the server has the cancellation', () => server.count('notifications/cancelled') === 1);
    await until('the record says so', async () => (await records())[0]?.outcome === 'cancelled');
  });

  it('is cut where its output is too long, not inside a character', async () => {
    server.script.call = () => ({ content: [{ type: 'text', text: 'é'.repeat(5_000) }] });
    const { content, truncated } = await call();
    expect({ bytes: Buffer.byteLength(content), truncated, clean: /^é+$/.test(content) }).toEqual({
      bytes: 4_096,
      truncated: true,
      clean: true,
    });
  });

  it.each([false, true])(
    'fails with an error of its own when the answer is larger than the limit (as a stream: %s)',
    async (streams) => {
      server.script.streams = streams;
      server.script.call = () => ({ content: [{ type: 'text', text: 'x'.repeat(400_000) }] });
      expect(await call({ timeout_ms: 9_000 })).toMatchObject({ ok: false, error: 'response_too_large' });
    },
  );

  it('survives a session that the server forgot, by initialising again', async () => {
    await call();
    server.forgetSessions();
    const made = server.count('initialize');
    expect(await call()).toMatchObject({ ok: true });
    expect(server.count('initialize')).toBe(made + 1);
    expect(server.count('tools/call')).toBe(2);
  });

  const rpc = (code: number, message: string) => ({ rpc: { code, message } });
  const pong: FakeMcpServer['script']['raw'][string] = (response, id) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  it.each([
    ['404', { status: 404 }],
    ['404 with an error of JSON-RPC', { status: 404, ...rpc(-32_001, 'Session not found') }],
    ['400', { status: 400, body: 'bad request' }],
    ['400 with an error of JSON-RPC', { status: 400, ...rpc(-32_000, 'Bad Request: No valid session ID provided') }],
    ['400 that is not initialised', { status: 400, ...rpc(-32_000, 'Bad Request: Server not initialized') }],
    ['401 about the session', { status: 401, body: '{"error":"invalid session"}' }],
    ['410', { status: 410 }],
    ['422 about the session', { status: 422, body: 'Session expired' }],
    ['500 about the session', { status: 500, ...rpc(-32_603, 'Session not found') }],
    ['503 about the session', { status: 503, body: 'unknown session' }],
    ['200 with an error of JSON-RPC', { status: 200, ...rpc(-32_001, 'Session not found') }],
    ['200 that is not initialised', { status: 200, ...rpc(-32_002, 'Server not initialized') }],
    ['200 with the code of a tool', { status: 200, ...rpc(-32_603, 'Session not found') }],
    ['200 in words that nobody knows', { status: 200, ...rpc(-32_000, 'Sitzung 17 abgelaufen') }],
    ['400 in words that nobody knows', { status: 400, ...rpc(-32_000, 'Please log on at the first of all') }],
    ['401 with a code for it', { status: 401, body: '{"error":"session_expired"}' }],
    ['403', { status: 403, body: 'start over' }],
    ['409', { status: 409, body: '{"error":"Session is not active"}' }],
    ['428', { status: 428, body: 'initialize first' }],
    ['440', { status: 440 }],
    ['a redirect to a page of theirs', { status: 302 }],
  ])('is repeated once on a new session when the old one is lost, shown by %s', async (_how, forgot) => {
    const turn = { call_id: 'trn_1.s1' };
    expect(await call(turn)).not.toHaveProperty('session_renewed');
    await call({ call_id: 'trn_2.s1' });
    server.script.forgot = forgot;
    server.forgetSessions();
    const [made, called] = [server.count('initialize'), server.count('tools/call')];
    expect(await call(turn)).toMatchObject({ ok: true, session_renewed: 'lost' });
    expect(server.count('initialize')).toBe(made + 1);
    expect(server.count('tools/call')).toBe(called + 1);
    // Each conversation hears once that its own is gone.
    expect(await call(turn)).not.toHaveProperty('session_renewed');
    expect(await call({ call_id: 'trn_2.s2' })).toMatchObject({ ok: true, session_renewed: 'lost' });
    expect(await call({ call_id: 'trn_3.s1' })).not.toHaveProperty('session_renewed');
  });

  it('renews a session that a 500 may tell of for the next call, since this one may have been executed', async () => {
    await call();
    server.script.forgot = { status: 500, ...rpc(-32_603, 'Internal error: session s1 not found') };
    server.forgetSessions();
    expect(await call()).toMatchObject({
      ok: false,
      error: 'unreachable',
      message: expect.stringContaining('session s1'),
    });
    expect(await call()).toMatchObject({ ok: true, session_renewed: 'lost' });
    expect(server.count('tools/call')).toBe(2);
  });

  it.each([
    ['a web page', 200, 'text/html', '<p>Session expired</p>'],
    ['an object that is no message', 200, 'application/json', '{}'],
  ])('renews a session for the next call where all that comes is %s', async (_what, status, type, body) => {
    await call();
    const answer: FakeMcpServer['script']['raw'][string] = (response) =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    server.script.raw = { 'tools/call': answer, ping: answer };
    expect(await call()).toMatchObject({ ok: false, error: 'protocol_error' });
    server.script.raw = {};
    expect(await call()).toMatchObject({ ok: true, session_renewed: 'lost' });
  });

  it.each([
    ['401', 401, 'token expired', 'auth_failed'],
    ['403', 403, 'not for you', 'refused'],
    ['409', 409, 'the cart was changed', 'protocol_error'],
    ['500', 500, 'The checkout session is closed', 'unreachable'],
    [
      '400 about its arguments',
      400,
      JSON.stringify({ error: { code: -32_602, message: 'Invalid arguments' } }),
      'refused',
    ],
  ])('is not repeated for %s that is about the call', async (_how, status, body, error) => {
    await call();
    server.script.raw = { 'tools/call': (response) => void response.writeHead(status).end(body), ping: pong };
    const made = server.count('initialize');
    expect(await call()).toMatchObject({ ok: false, error });
    expect(server.count('initialize')).toBe(made);
    server.script.raw = {};
    expect(await call()).not.toHaveProperty('session_renewed');
  });

  it.each([
    [-32_603, 'Session not found'],
    [-32_000, 'The booking has ended'],
    [-32_601, 'Method not found'],
  ])('is not repeated for a %i %s of its own', async (code, message) => {
    await call();
    const [made, called] = [server.count('initialize'), server.count('tools/call')];
    server.script.raw = {
      'tools/call': (response, id) => {
        const error = { jsonrpc: '2.0', id, error: { code, message } };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      },
    };
    expect(await call()).toMatchObject({ ok: false, error: 'refused' });
    expect([server.count('initialize'), server.count('tools/call')]).toEqual([made, called + 1]);
    server.script.raw = {};
  });

  it('reports a server that refuses or is dead', async () => {
    server.script.wants = { authorization: 'Bearer new' };
    expect(await call()).toMatchObject({ ok: false, error: 'auth_failed', retryable: true });
    server.script.wants = {};
    await server.stop();
    expect(await call()).toMatchObject({ ok: false, error: 'unreachable' });
    server = await FakeMcpServer.start();
  });

  it('may be made by hand', async () => {
    const { body } = await registry.call('POST', `tools/${toolId}/try`, { arguments: { text: 'me' } });
    expect(body).toMatchObject({ ok: true, content: 'first {"text":"me"}' });
    expect(await records()).toMatchObject([{ caller: 'key:test', outcome: 'ok' }]);
  });
});
