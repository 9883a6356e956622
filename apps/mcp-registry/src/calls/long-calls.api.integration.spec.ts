import { until } from '#libs/testing';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer } from '../testing/fake-mcp-server.js';

const silenceMs = 1_500;
const maxMs = 6_000;
let registry: RegistryWorld;
let server: FakeMcpServer;
let tool: { id: string; pin: string };
let calls = 0;

beforeAll(async () => {
  registry = await startRegistry({ MCP_CALL_TIMEOUT_MS: silenceMs, MCP_CALL_MAX_MS: maxMs, TRY_SILENCE_MS: 200 });
});
afterAll(() => registry.close());
beforeEach(async () => {
  server = await FakeMcpServer.start();
  const { body } = await registry.call('POST', 'mcp-servers', { url: server.url, name: `long${(calls += 1)}` });
  const tools = await registry.call('GET', `tools?server_id=${body.id}`);
  tool = tools.body.data[0] as typeof tool;
});
afterEach(() => server.stop());

const notes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ progress: at, total: count, message: 'Half\u202e' }));
/** Reads the answer as the engine does. */
async function lines(): Promise<Record<string, unknown>[]> {
  const authorization = `Bearer ${await registry.token({ scopes: ['service'] })}`;
  const answer = await fetch(`${registry.url}/internal/tool-calls`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ tool_id: tool.id, pin: tool.pin, arguments: {}, call_id: 'c1' }),
  });
  return (await answer.text()).split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}
const records = async () => (await registry.call('GET', `tools/${tool.id}/calls`)).body.data;

describe('a long call', () => {
  it('goes on while its server reports progress, which is passed on in words', async () => {
    server.script.progress = { notes: notes(8), everyMs: silenceMs / 4 };
    const answered = await lines();
    expect(answered.slice(0, -1)).toEqual(notes(8).map((_, at) => ({ progress: `Half (${at} of 8)` })));
    expect(answered.at(-1)).toMatchObject({ ok: true, content: 'first {}' });
  });

  it('ends without progress at the limit of its silence, and says which that is', async () => {
    server.script.delayMs = 60_000;
    const [answer] = await lines();
    expect(answer).toMatchObject({ ok: false, error: 'timeout' });
    expect(answer?.['message']).toBe(
      'no answer and no progress within 1.5 s, the limit MCP_CALL_TIMEOUT_MS or timeout_ms',
    );
  });

  it('ends at the limit of all its time, however much progress is reported, at the server too', async () => {
    server.script.progress = { notes: notes(1_000), everyMs: silenceMs / 4 };
    const answered = await lines();
    expect(answered.length).toBeGreaterThan(1);
    expect(answered.at(-1)).toMatchObject({ ok: false, error: 'timeout' });
    expect(answered.at(-1)?.['message']).toBe('no answer within 6 s in all, the limit MCP_CALL_MAX_MS');
    await until('the server has the cancellation', () => server.count('notifications/cancelled') === 1);
    expect(await records()).toMatchObject([{ outcome: 'timeout' }]);
  });

  it('that a person tries may name its time, and shows on the way that it is awaited', async () => {
    server.script.delayMs = 2 * silenceMs;
    const authorization = `Bearer ${await registry.token()}`;
    const answer = await fetch(`${registry.url}/api/v1/tools/${tool.id}/try`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: {}, timeout_ms: 5_000 }),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const text = await answer.text();
    expect(text).toMatch(/^ {2,}\{/);
    expect(JSON.parse(text)).toMatchObject({ ok: true, content: 'first {}' });
  });
});
