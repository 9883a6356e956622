import type { NormalizedMessage } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let chat: string;
let hook: string;

beforeAll(async () => {
  adapter = await fakeAdapter('chat');
  world = await startGateway({}, adapter);
  chat = (await world.install(adapter)).id;
  hook = (await world.call('POST', 'apps', { name: 'hook', kind: 'builtin' })).body.id;
});
afterAll(() => world.close());

/** @returns the receipt's id */
const receive = (app: string, body: string) =>
  world.receive(app, { request: { body, query: { q: '\0' }, headers: { 'x-odd': 'caf\u00e9' } } });
/** @param answer as JSON where it is text: JavaScript writes no value of thousands of levels */
const answered = (answer: object | string): Promise<string> => {
  adapter.routes['parse-inbound'] = (_body, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  return receive(chat, '{}');
};
/** The messages that the router is handed, inline or by reference. */
async function handedOver(receipt: string): Promise<NormalizedMessage[]> {
  const job = await world.routed(receipt);
  return job.messages ?? (await world.internal('GET', `parsed-messages/${receipt}`)).body.messages;
}
const story = (receipt: string): Promise<{ outcome: string; reason: string }[]> =>
  until('the receipt has ended', async () => {
    const { rows } = await world.pool.query(
      `SELECT outcome, reason FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
      [receipt],
    );
    return rows.some(({ outcome }) => outcome === 'dead') ? rows : null;
  });
const letters = async (receipt: string): Promise<number> =>
  (await world.pool.query('SELECT 1 FROM journal.dead_letter WHERE receipt_id = $1', [receipt])).rows.length;
const nested = (levels: number): object =>
  Array.from({ length: levels - 1 }).reduce<object>((inner) => ({ inner }), { end: true });
const deepText = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const hostile = {
  event_type: 'a\0b',
  sender: 'a\ud800b',
  message: 'NUL \0 and half a pair \udc00',
  is_bot: false,
  dedup_key: 'key\0\ud800',
  thread_id: 'thread\0',
  metadata: { 'name\0': ['value\ud800', { deep: '\0' }] },
};

describe('an answer of an adapter', () => {
  it.each([
    ['inline', hostile],
    ['by reference', { ...hostile, message: `${hostile.message}${'x'.repeat(20_000)}` }],
  ])('is handed on unchanged with U+0000 and lone surrogates in every field, %s', async (_how, answer) => {
    expect(await handedOver(await answered(answer))).toEqual([answer]);
  });

  it.each([
    ['one message', JSON.stringify({ ...hostile, metadata: 'here' }).replace('"here"', deepText(5_000))],
    [
      'one of a batch',
      { ...hostile, event_type: 'batch', metadata: { messages: [{ ...hostile, metadata: nested(101) }] } },
    ],
  ])('that is nested too deeply ends with that reason on the first attempt: %s', async (_what, answer) => {
    const receipt = await answered(answer);
    expect(await story(receipt)).toEqual([{ outcome: 'dead', reason: 'contract_violation' }]);
    expect(await letters(receipt)).toBe(1);
  });

  it('that is nested to the limit is handed on whole', async () => {
    const answer = { ...hostile, metadata: nested(100) };
    expect(await handedOver(await answered(answer))).toEqual([answer]);
  });

  it('over the byte limit ends with that reason on the first attempt', async () => {
    const receipt = await answered({ ...hostile, message: 'x'.repeat(1_100_000) });
    expect(await story(receipt)).toEqual([{ outcome: 'dead', reason: 'contract_violation' }]);
    expect(await letters(receipt)).toBe(1);
  });
});

describe('a message whose content Postgres refuses', () => {
  const refused = `impossible ${'x'.repeat(20_000)}`;

  beforeAll(async () => {
    await world.pool.query(
      `CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'no such character' USING ERRCODE = 'untranslatable_character'; END $$`,
    );
    await world.pool.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON gateway.parsed_messages FOR EACH ROW
       WHEN (NEW.messages LIKE '%impossible%') EXECUTE FUNCTION gateway.refuse()`,
    );
  });
  afterAll(() => world.pool.query('DROP FUNCTION gateway.refuse CASCADE'));

  it.each([
    ['of an adapter', () => answered({ ...hostile, message: refused })],
    ['of the built-in Webhook app', () => receive(hook, JSON.stringify({ task: refused }))],
  ])('ends on the first attempt: %s', async (_whose, send) => {
    const receipt = await send();
    expect(await story(receipt)).toEqual([{ outcome: 'dead', reason: 'not_processable' }]);
    expect(await letters(receipt)).toBe(1);
  });
});

describe('a body of the built-in Webhook app', () => {
  const parsed = async (body: string): Promise<NormalizedMessage | undefined> =>
    (await handedOver(await receive(hook, body)))[0];

  it('is read behind a byte order mark', async () => {
    expect(await parsed('\ufeff{"task":"hello"}')).toMatchObject({
      message: 'hello',
      metadata: { payload: { task: 'hello' } },
    });
  });

  it('gives its text where it has no task, and the whole body where it has neither', async () => {
    expect(await parsed('{"text":"hello"}')).toMatchObject({ message: 'hello' });
    expect(await parsed('{"task":"do it","text":"hello"}')).toMatchObject({ message: 'do it' });
    expect(await parsed('{"order": 1.10}')).toMatchObject({ message: '{"order": 1.10}' });
  });

  it('has a number that JavaScript would round as a text of all its digits', async () => {
    const body = '{"task":"t","id":12345678901234567890,"ids":[9007199254740993,7],"price":1.10}';
    expect((await parsed(body))?.metadata?.['payload']).toEqual({
      task: 't',
      id: '12345678901234567890',
      ids: ['9007199254740993', 7],
      price: 1.1,
    });
  });

  it.each([
    ['that is no JSON', '{"task":', 'invalid_json'],
    ['nested too deeply', JSON.stringify(nested(101)), 'too_deep'],
  ])('with %s, which the ingress refuses, also ends on the first attempt', async (_what, body, reason) => {
    const receipt = await receive(hook, body);
    expect(await story(receipt)).toEqual([{ outcome: 'dead', reason }]);
    expect(await letters(receipt)).toBe(1);
  });
});
