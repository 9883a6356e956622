import type { InboundRequest } from '#libs/contracts';
import { until } from '#libs/testing';
import { type GatewayWorld, plainRequest, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter, type Route } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let adapterId: string;
let app: string;

beforeAll(async () => {
  adapter = await fakeAdapter('chat');
  world = await startGateway({}, adapter);
  adapterId = (await world.call('POST', 'adapters', { url: adapter.url })).body.id;
  app = (await world.call('POST', 'listings/chat/install', {})).body.id;
});
afterAll(() => world.close());

/** @returns the receipt's id */
function receive(answer: unknown, scheme: string | null = 'none'): Promise<string> {
  adapter.routes['parse-inbound'] = () => answer;
  return arrive(scheme);
}
const arrive = (scheme: string | null, request: Partial<InboundRequest> = {}) =>
  world.receive(app, { scheme, request });
/** Asks about a possible handshake; the adapter gives this answer. */
async function handshake(answer: unknown, known: { verified?: boolean; declared?: boolean } = {}) {
  adapter.routes['verify-webhook'] ??= () => ({ ok: true });
  adapter.routes['parse-inbound'] = () => answer;
  const asked = {
    request: plainRequest,
    received_at: new Date().toISOString(),
    verified: false,
    declared: false,
    ...known,
  };
  return (await world.internal('POST', `apps/${app}/handshake`, asked)).body;
}
const message = (n: number, type = 'message_received'): object => ({
  event_type: type,
  sender: 'ada',
  message: `message ${n}`,
  is_bot: false,
  dedup_key: `key-${n}`,
});
/** Expects the violation in the timeline, after one attempt, and on the adapter's page. */
async function isViolationOf(receipt: string, violation: string): Promise<void> {
  const { rows } = await world.pool.query('SELECT outcome, detail FROM journal.entry WHERE receipt_id = $1', [receipt]);
  expect(rows).toMatchObject([{ outcome: 'dead', detail: { error: violation } }]);
  await shown(violation);
}
const shown = (violation: string): Promise<unknown> =>
  until('the page of the adapter shows it', async () => {
    const { body } = await world.call('GET', `adapters/${adapterId}`);
    return body.violation === violation;
  });
const batch = (messages: unknown): object => ({
  event_type: 'batch',
  sender: '',
  message: '',
  is_bot: false,
  metadata: { messages },
});
const routed = async (receipt: string) => (await world.routed(receipt)).messages ?? [];
const ended = (receipt: string): Promise<{ outcome: string; reason: string }> =>
  until('the receipt has ended', async () => {
    const { rows } = await world.pool.query(
      `SELECT outcome, reason FROM journal.entry WHERE receipt_id = $1 AND outcome <> 'retrying'`,
      [receipt],
    );
    return rows[0];
  });

describe('the request of a message', () => {
  it('is handed on for filters, once, without secrets', async () => {
    adapter.routes['parse-inbound'] = () => batch([message(1), message(2)]);
    const headers = { 'x-github-event': 'push', authorization: 'Bearer secret', 'x-hub-signature-256': 'sha256=ab' };
    const job = await world.routed(await arrive('none', { headers, query: { x: '1', access_token: 'secret' } }));
    expect(job.request).toEqual({ headers: { 'x-github-event': 'push' }, query: { x: '1' } });
    expect(JSON.stringify(job)).not.toContain('secret');
  });
});

describe('a delivery of several messages', () => {
  it('is split into them, each with its own key, without those that are ignored', async () => {
    const receipt = await receive(batch([message(1), message(2, 'ignored'), message(3)]));
    expect((await routed(receipt)).map(({ dedup_key: key }) => key)).toEqual(['key-1', 'key-3']);
  });

  it('is ignored when none of them is left', async () => {
    expect(await ended(await receive(batch([])))).toEqual({ outcome: 'ignored', reason: 'empty_batch' });
    expect(await ended(await receive(batch([message(1, 'ignored')])))).toMatchObject({ outcome: 'ignored' });
  });

  it.each([
    ['no list', batch('text')],
    ['a batch in a batch', batch([batch([message(1)])])],
    ['a message without a text', batch([message(1), { event_type: 'x', sender: 'ada' }])],
  ])('with %s breaks the contract', async (_what, answer) => {
    const receipt = await receive(answer);
    expect(await ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    const { rows } = await world.pool.query(
      `SELECT 1 FROM journal.entry WHERE receipt_id = $1 AND outcome = 'retrying'`,
      [receipt],
    );
    expect(rows).toEqual([]);
  });
});

describe('an adapter that only answers what the contract requires', () => {
  it('is named as the scheme where it names none', async () => {
    adapter.routes['verify-webhook'] = () => ({ ok: true });
    expect(await world.routed(await receive(message(7), null))).toMatchObject({ verified_scheme: 'adapter' });
  });

  it('leaves its verification in the timeline where it cannot parse', async () => {
    const receipt = await receive(batch('text'), null);
    await until('the receipt is dead, after what was verified', async () => {
      const { rows } = await world.pool.query(
        'SELECT stage, outcome FROM journal.entry WHERE receipt_id = $1 ORDER BY at',
        [receipt],
      );
      return rows.map(({ stage, outcome }) => `${stage} ${outcome}`).join() === 'verified ok,parsed dead';
    });
  });

  it('ends the event as refused, in its own words', async () => {
    adapter.routes['verify-webhook'] = () => ({ ok: false, error: 'wrong signature' });
    expect(await ended(await receive(message(8), null))).toEqual({ outcome: 'refused', reason: 'wrong signature' });
    adapter.routes['verify-webhook'] = () => ({ ok: true });
  });

  describe('but refuses a post by its status', () => {
    const answer =
      (status: number, body: string, headers: Record<string, string> = {}): Route =>
      (_body, response) =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    const entries = async (receipt: string) => {
      const { rows } = await world.pool.query(
        'SELECT stage, outcome, reason, detail FROM journal.entry WHERE receipt_id = $1 ORDER BY at',
        [receipt],
      );
      return rows;
    };
    const refusal = async (route: Route) => {
      const before = adapter.bodiesOf('verify-webhook').length;
      adapter.routes['verify-webhook'] = route;
      const receipt = await receive(message(9), null);
      await ended(receipt);
      return { rows: await entries(receipt), calls: adapter.bodiesOf('verify-webhook').length - before };
    };
    afterEach(() => {
      adapter.routes['verify-webhook'] = () => ({ ok: true });
    });

    it.each<[string, Route, string, string]>([
      [
        'as the contract says it',
        answer(401, '{"ok":false,"error":"stale_timestamp","message":"an hour old"}'),
        'stale_timestamp',
        'answered 401: an hour old',
      ],
      ['without ok', answer(403, '{"error":"missing_signature"}'), 'missing_signature', 'answered 403'],
      ['in its own words', answer(401, '{"ok":false,"error":"wrong"}'), 'bad_signature', 'answered 401: wrong'],
      ['as frameworks do', answer(400, '{"detail":"forged"}'), 'bad_signature', 'answered 400: forged'],
      [
        'with what no database takes',
        answer(401, '{"message":"a\\u0000b\\ud800"}'),
        'bad_signature',
        'answered 401: ab\ufffd',
      ],
      ['without a body', answer(401, ''), 'bad_signature', 'answered 401'],
      ['as text', answer(403, 'forged', { 'content-type': 'text/plain' }), 'bad_signature', 'answered 403: forged'],
      ['with HTML', answer(403, '<p>', { 'content-type': 'text/html' }), 'bad_signature', 'answered 403'],
      ['with fields of other kinds', answer(401, '{"ok":0,"error":{}}'), 'bad_signature', 'answered 401'],
      ['with another one', answer(422, '{"ok":false,"message":"no"}'), 'bad_signature', 'answered 422: no'],
    ])('%s: it ends at once, and keeps the words', async (_what, route, reason, words) => {
      const error = `/verify-webhook ${words}`;
      expect(await refusal(route)).toEqual({
        rows: [{ stage: 'verified', outcome: 'refused', reason, detail: { error } }],
        calls: 1,
      });
    });

    it('a forged handshake is refused too', async () => {
      adapter.routes['verify-webhook'] = answer(401, '{}');
      expect(await handshake({ challenge_response: 'value' })).toMatchObject({ refused: { error: 'bad_signature' } });
    });

    it.each<[string, Route, RegExp]>([
      ['is down', answer(503, '{"ok":false,"error":"bad_signature"}'), /answered 503/],
      ['has too much to do', answer(429, '{"ok":false,"error":"busy"}'), /answered 429/],
      ['names a time', answer(403, '{"ok":false}', { 'retry-after': '1' }), /answered 403/],
      ['has no such route', answer(404, '{"error":"not_found"}'), /answered 404/],
      [
        'does not accept the signature of the platform',
        answer(401, '{"error":"bad_signature","message":"platform call refused: no signature matches"}'),
        /GATEHOUSE_ADAPTER_SECRET/,
      ],
    ])('an adapter that %s does not say that a post is forged: it is retried', async (_what, route, words) => {
      adapter.routes['verify-webhook'] = route;
      const receipt = await receive(message(10), null);
      const [first] = await until('it will be retried', async () => {
        const rows = await entries(receipt);
        return rows.length > 0 ? rows : null;
      });
      expect(first).toMatchObject({ outcome: 'retrying', detail: { error: expect.stringMatching(words) } });
    });
  });

  it('flags a handshake by its answer alone, which is then not a message', async () => {
    expect((await handshake({ challenge_response: 'value' })).answer).toMatchObject({ status: 200, body: 'value' });
    expect((await handshake({ challenge_response: 1158201444 })).answer).toMatchObject({ body: '1158201444' });
  });

  it('says of a handshake that came as a message how its provider can be answered in time', async () => {
    const receipt = await receive({ challenge_response: 'value' });
    expect(await ended(receipt)).toEqual({ outcome: 'challenge', reason: 'answered_too_late' });
    const { rows } = await world.pool.query(`SELECT detail FROM journal.entry WHERE receipt_id = $1`, [receipt]);
    expect(rows[0].detail.to_do).toMatch(/webhook\.handshake/);
  });

  it('may omit what only triggers need, which is handed on as missing', async () => {
    const [parsed] = await routed(await receive({ sender: 'ada', message: 'hi', is_bot: null, thread_id: null }));
    expect(parsed).toMatchObject({ sender: 'ada', message: 'hi', missing: ['event_type', 'is_bot'] });
    expect(parsed).not.toHaveProperty('thread_id');
    expect((await routed(await receive(message(77))))[0]).not.toHaveProperty('missing');
  });
});

describe('an id that is a number', () => {
  const digits = '12345678901234567890';
  const ids = `"account":${digits},"channel_address":-1001234567890123456,"message_id":9007199254740992,
    "sender":{"id":1e21,"name":"Ada"},"other":{"nested":[${digits},7]}`;
  const given = `{"event_type":"message_received","sender":"ada","message":"hi","is_bot":false,"dedup_key":${digits},
    "thread_id":42,"metadata":{${ids}}}`;
  const taken = {
    dedup_key: digits,
    thread_id: '42',
    metadata: {
      account: digits,
      channel_address: '-1001234567890123456',
      message_id: '9007199254740992',
      sender: { id: '1000000000000000000000', name: 'Ada' },
      other: { nested: [digits, 7] },
    },
  };
  const answering =
    (text: string): Route =>
    (_body, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(text);

  it('is handed on as its decimal digits, and so is every large number in the metadata', async () => {
    adapter.routes['parse-inbound'] = answering(given);
    expect(await routed(await arrive('none'))).toMatchObject([taken]);
  });

  it('is handed on so in each message of several', async () => {
    const several = `{"event_type":"batch","sender":"","message":"","is_bot":false,"metadata":{"messages":[${given}]}}`;
    adapter.routes['parse-inbound'] = answering(several);
    expect(await routed(await arrive('none'))).toMatchObject([taken]);
  });

  it('is handed on as null where it is null', async () => {
    const metadata = { channel_address: null, account: null, sender: null };
    expect(await routed(await receive({ ...message(Math.random()), metadata }))).toMatchObject([{ metadata }]);
  });
});

describe('a field of a wrong type', () => {
  const address = 'metadata.channel_address must be a text, a whole number or null';

  it.each([
    ['is_bot', { is_bot: 'true' }, 'is_bot must be true or false, not a text'],
    ['event_type', { event_type: 5 }, 'event_type must be a text that is not empty, not a whole number'],
    ['an empty event_type', { event_type: '' }, 'event_type must be a text that is not empty, not an empty text'],
    ['an empty sender', { sender: '' }, 'sender must be a text that is not empty, not an empty text'],
    ['a sender that is null', { sender: null }, 'sender must be a text that is not empty, not missing'],
    ['message', { message: ['hi'] }, 'message must be a text, not a list'],
    ['dedup_key', { dedup_key: [5] }, 'dedup_key must be a text or a whole number, not a list'],
    ['thread_id', { thread_id: 1.5 }, 'thread_id must be a text or a whole number, not a number'],
    ['an address', { metadata: { channel_address: true } }, `${address}, not true`],
    ['an address with a fraction', { metadata: { channel_address: 1.5 } }, `${address}, not a number`],
    ['an address in an object', { metadata: { channel_address: { id: 5 } } }, `${address}, not an object`],
    ['an address in a list', { metadata: { channel_address: [5] } }, `${address}, not a list`],
    ['is_dm', { is_dm: 'no' }, 'is_dm must be true or false, not a text'],
    ['metadata', { metadata: 'x' }, 'metadata must be an object, not a text'],
    [
      'challenge_response',
      { challenge_response: true },
      'challenge_response must be a text, a number or an object, not true',
    ],
    [
      'an address of one of several',
      batch([{ ...message(1), metadata: { channel_address: {} } }]),
      'metadata.messages[0].metadata.channel_address must be a text, a whole number or null, not an object',
    ],
    [
      'one of several',
      batch([message(1), { ...message(2), is_bot: 1 }]),
      'metadata.messages[1].is_bot must be true or false, not a whole number',
    ],
  ])(
    '(%s) ends the event at its first attempt, and is named on the event and in the portal',
    async (_what, wrong, violation) => {
      const receipt = await receive({ ...message(Math.random()), ...wrong });
      expect(await ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
      await isViolationOf(receipt, `/parse-inbound: ${violation}`);
    },
  );

  it('in /verify-webhook also ends it, and nothing is parsed', async () => {
    adapter.routes['verify-webhook'] = () => ({ ok: 'true' });
    adapter.calls.length = 0;
    const receipt = await receive(message(90), null);
    expect(await ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    await isViolationOf(receipt, '/verify-webhook: ok must be true or false, not a text');
    expect(adapter.calls.map(({ route }) => route)).toEqual(['verify-webhook']);
    adapter.routes['verify-webhook'] = () => ({ ok: true });
  });

  it('also ends it where the answer is not JSON', async () => {
    adapter.routes['parse-inbound'] = (_body, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    const receipt = await arrive('none');
    expect(await ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    await isViolationOf(receipt, '/parse-inbound answered text/html, not application/json');
  });

  it('that the router misses is shown on the page of the adapter', async () => {
    const violation = '/parse-inbound: is_bot must be there';
    await world.internal('POST', `apps/${app}/contract-violations`, { violation });
    await shown(violation);
  });
});

describe('a handshake through the adapter', () => {
  const ask = async (response: unknown) =>
    (await handshake({ event_type: 'challenge', sender: '', message: '', is_bot: false, challenge_response: response }))
      .answer;
  const nosniff = { 'x-content-type-options': 'nosniff' };

  it('answers a text as text and an object as it says, but never as a page or with a cookie', async () => {
    const text = { 'content-type': 'text/plain; charset=utf-8', ...nosniff };
    expect(await ask('value')).toEqual({ status: 200, headers: text, body: 'value' });
    const headers = { 'Content-Type': 'text/html', 'Set-Cookie': 'a=b', 'X-Hook-Secret': 's', 'Validation-Token': 'v' };
    expect(await ask({ status: 201, headers, body: '<p>' })).toEqual({
      status: 201,
      headers: { 'x-hook-secret': 's', 'validation-token': 'v', ...text },
      body: '<p>',
    });
    expect(await ask({ headers: { 'content-type': 'application/json' }, body: { a: 1 } })).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', ...nosniff },
      body: '{"a":1}',
    });
  });

  it('is not a handshake when the adapter says that it is a message', async () => {
    expect(await handshake(message(1))).toEqual({ answer: null });
  });

  it('is not parsed before the adapter has accepted it', async () => {
    const routes = (): string[] => adapter.calls.splice(0).map(({ route }) => route);
    routes();
    expect(await handshake(message(1))).toEqual({ answer: null });
    expect(routes()).toEqual(['verify-webhook', 'parse-inbound']);
    adapter.routes['verify-webhook'] = () => ({ ok: false, error: 'bad_signature' });
    expect(await handshake({ challenge_response: 'x' })).toEqual({ refused: { error: 'bad_signature' }, answer: null });
    expect(routes()).toEqual(['verify-webhook']);
    await handshake({ challenge_response: 'x' }, { verified: true });
    expect(routes()).toEqual(['parse-inbound']);
    adapter.routes['verify-webhook'] = () => ({ ok: true });
    await handshake({ challenge_response: 'x' }, { declared: true });
    expect(routes()).toEqual(['verify-webhook']);
  });

  it('is asked for whether or not the App was verified', async () => {
    adapter.routes['verify'] = () => ({ ok: true, user: 'the agent' });
    const endpoint = async () =>
      (await world.internal('GET', 'endpoints?after=0')).body.endpoints.find((each) => each.app_id === app);
    expect(await endpoint()).toMatchObject({ adapter_handshake: true });
    world.vault.credentials.set('verified', { token: 'x' });
    await world.call('PATCH', `apps/${app}`, { credential_id: 'verified' });
    expect((await world.call('POST', `apps/${app}/verify`)).body).toMatchObject({ ok: true });
    expect(await endpoint()).toMatchObject({ adapter_handshake: true });
  });
});

describe('a message that says that documents have changed', () => {
  it('syncs the sources that wait for it', async () => {
    adapter.routes['sources/list-changes'] = () => ({ changes: [], cursor: 'c' });
    const make = async (hint: string): Promise<string> => {
      const body = { app_id: app, name: hint, resource_path: '', hint_events: [hint] };
      return (await world.call('POST', 'sources', body)).body.id;
    };
    const [hinted, other] = [await make('push'), await make('mailbox_changed')];
    const run = await until('a run has ended', async () => {
      // A new source is unknown until the cache expires: a hint before that is lost, as any may be.
      await routed(await receive(message(Math.random(), 'push')));
      const { body } = await world.call('GET', `sources/${hinted}/runs`);
      return body.data.find(({ state }) => state === 'succeeded');
    });
    expect(run).toMatchObject({ cause: 'webhook' });
    expect((await world.call('GET', `sources/${other}/runs`)).body.data).toEqual([]);
  });
});
