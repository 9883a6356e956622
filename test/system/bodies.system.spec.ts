import { until } from '#libs/testing';
import type { EventDetail, InstalledApp } from './api.js';
import { openSink, type Sink } from './sink.js';
import { openFakeAdapter, type FakeAdapter } from './fake-adapter.js';
import { startSmallSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

const secret = 'a secret of the sender';
const source = `def read_order() -> dict:
    """Reads the order of the event."""
    given = event()["payload"]
    return {"id": str(given["id"]), "price": str(given["price"]), "items": len(given["items"]), "deep": given["deep"]}
`;
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const long = 'x'.repeat(20_000);

let system: System;
let sink: Sink;
let adapter: FakeAdapter;
let provider: InstalledApp;
let signed: InstalledApp;

beforeAll(async () => {
  sink = await openSink();
  adapter = await openFakeAdapter('bytes', { verification: 'none' });
  system = await startSmallSystem();
  const install = (body: object): Promise<InstalledApp> => system.api<InstalledApp>('POST', '/api/v1/apps', body);
  const channel = (app: string, body: object) => system.api('PUT', `/api/v1/channels/${app}`, body);
  await channel(system.appId, { reply_address: `${sink.url}/builtin` });
  const { id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
  provider = await install({ name: 'bytes', kind: 'adapter', adapter_id: id });
  await channel(provider.id, { unknown_senders: 'open' });
  const credential_id = await system.credential({ signing_secret: secret });
  signed = await install({
    name: 'signed',
    kind: 'builtin',
    credential_id,
    signature: { scheme: 'hmac' },
    // A turn with text written by people calls no Python tool without approval.
    text_from: 'system',
  });
  await channel(signed.id, { reply_address: `${sink.url}/signed` });
});
afterAll(async () => {
  await system?.stop();
  await adapter.close();
  await sink.close();
});

const lettersOf = async (appId: string): Promise<number> =>
  (await system.api<{ data: object[] }>('GET', `/api/v1/events/dead-letters?stage=parsed&app_id=${appId}`)).data.length;
/** Why anything was retried or dead-lettered before the reply. Deliveries are left out, since the fake accepts none. */
const failuresOf = (event: EventDetail): string[] =>
  event.timeline
    .filter(({ stage, outcome }) => stage !== 'delivery' && ['retrying', 'dead'].includes(outcome))
    .map(({ reason }) => `${reason}`);

describe('a body that the ingress answers with 200', () => {
  it.each([
    ['a byte order mark', '\ufeff{"task":"hello"}'],
    [
      'U+0000 everywhere',
      '{"task":"a\\u0000b","thread_id":"\\u0000","metadata":{"source":"\\u0000","k\\u0000":["\\u0000"]}}',
    ],
    ['U+0000 in a message that goes by reference', `{"task":"a\\u0000${long}","metadata":{"event_type":"e\\u0000"}}`],
    [
      'lone surrogates',
      '{"task":"\\ud800","thread_id":"\\udfff","metadata":{"source":"\\ud800","\\udc00":["\\ud800"]}}',
    ],
    ['lone surrogates in a message that goes by reference', `{"task":"\\ud800${long}","more":"\\udc00"}`],
    ['a hundred levels', nested(100)],
    ['thousands of entries', JSON.stringify({ task: 'count', list: Array.from({ length: 9_000 }, (_, n) => n) })],
    ['text for a message', '{"text":"hello"}'],
  ])('is answered at the first attempt: %s', async (_what, body) => {
    const { status, id } = await post(system.webhookUrl, body);
    expect(status).toBe(200);
    const event = await system.reached(id, 'delivery', 'delivered');
    expect([event.outcome, failuresOf(event)]).toEqual(['routed', []]);
    expect(sink.repliesTo(id)).toHaveLength(1);
  });

  it.each([
    ['5,000 levels', nested(5_000), 422, 'too_deep'],
    ['a workflow_id beyond 2^31', '{"workflow_id":2147483648}', 422, 'invalid_workflow_id'],
    ['a workflow_id beyond 2^53', '{"workflow_id":9007199254740993}', 422, 'invalid_workflow_id'],
    ['half a JSON', '{"task":', 400, 'invalid_json'],
  ])('is not %s: that is refused, and kept with its reason', async (_what, body, status, code) => {
    expect(await post(system.webhookUrl, body)).toMatchObject({ status, body: { error: code } });
    await until('the refusal is kept', async () => {
      const { data } = await system.api<{ data: { code: string }[] }>('GET', '/api/v1/refusals');
      return data.some((refusal) => refusal.code === code);
    });
  });
});

describe('what an adapter answers to any bytes', () => {
  const send = async (parsed: object | string): Promise<string> => {
    adapter.parsed = typeof parsed === 'string' ? parsed : JSON.stringify(parsed);
    const { status, id } = await post(`${provider.webhook_url}?q=%00&r=%ED%A0%80`, Buffer.from([0xff, 0, 0x80]), {
      'x-odd': 'caf\u00e9',
      'content-type': 'application/octet-stream',
    });
    expect(status).toBe(200);
    return id;
  };
  const hostile = {
    event_type: 'a\0b',
    sender: 'a\ud800b\0',
    message: '\0 and \udc00',
    is_bot: false,
    thread_id: 't\0\ud800',
    metadata: { 'k\0': ['\ud800'], channel_address: 'c\0\ud800', reply_context: { a: '\0\ud800' }, message_id: 'm\0' },
  };
  const names = { sender: long, thread_id: long, event_type: long };
  const huge = { message: 'x'.repeat(2_000_000), metadata: { text: 'y'.repeat(1_000_000) } };

  it.each([
    ['inline', { ...hostile, dedup_key: 'one\0\ud800' }],
    ['by reference', { ...hostile, dedup_key: 'two\0\ud800', message: `\0${long}` }],
    ['with names of any length', { ...hostile, ...names, dedup_key: long }],
    ['huge', { ...hostile, ...huge, dedup_key: 'four' }],
  ])('ends at the first attempt: %s', async (_how, parsed) => {
    const event = await system.reached(await send(parsed), 'turn', 'succeeded');
    expect([event.outcome, failuresOf(event)]).toEqual(['routed', []]);
  });

  it.each([
    ['5,000 levels', JSON.stringify({ ...hostile, metadata: 'here' }).replace('"here"', nested(5_000))],
    ['more than an answer may have', { ...hostile, message: 'x'.repeat(5_000_000) }],
  ])('becomes one dead letter, at the first attempt, for %s', async (_what, parsed) => {
    const before = await lettersOf(provider.id);
    const event = await system.ended(await send(parsed));
    const code = 'contract_violation';
    expect([event.outcome, event.reason, failuresOf(event)]).toEqual(['dead', code, [code]]);
    expect(await lettersOf(provider.id)).toBe(before + 1);
  });
});

describe('an unchanged payload', () => {
  const items = Array.from({ length: 3_000 }, (_, n) => ({ n }));
  const order = `"task":"order","id":12345678901234567890,"price":1.10,"items":${JSON.stringify(items)},"deep":${nested(60)}}`;
  let body: string;
  let id: string;

  it('is what a Python tool of a workflow reads, also in its replay', async () => {
    const tool = await system.api<{ id: string }>('POST', '/api/v1/tools', { source });
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'orders',
      instructions: 'call agent__read_order {}\nreply: {{result.result}}',
      python_tools: [tool.id],
      may_do: 'destructive',
    });
    const workflow = { name: 'orders', instructions: '', agent_id: agent.id };
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    body = `\ufeff{"workflow_id":${workflow_id},${order}`;
    id = (await post(signed.webhook_url, body, { 'x-signature-256': hmac(secret, body) })).id;
    const expected = { id: '12345678901234567890', price: '1.10', items: 3_000, deep: JSON.parse(nested(60)) };
    const first = await until('a reply arrives', () => sink.repliesTo(id)[0]);
    expect(JSON.parse(String(first.json['text']))).toEqual(expected);
    await system.api('POST', `/api/v1/events/${id}/replay`, { deliver: true });
    const second = await until('the reply of the replay arrives', () => sink.repliesTo(id)[1]);
    expect(JSON.parse(String(second.json['text']))).toEqual(expected);
  });

  it('is what a person reads: whole in the event, and byte for byte in its body', async () => {
    const { messages } = await system.api<{ messages: { message: { metadata: { payload: object } } }[] }>(
      'GET',
      `/api/v1/events/${id}`,
    );
    const payload = messages[0]?.message.metadata.payload;
    expect(payload).toMatchObject({ id: '12345678901234567890', items, deep: JSON.parse(nested(60)) });
    const answer = await fetch(`${system.origin('portal')}/api/v1/events/${id}/body`, {
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(body));
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });
});
