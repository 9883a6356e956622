import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { batch, ChatIngest, message } from '../../testing/chat-ingest.js';
import type { Route } from '../../testing/fake-adapter.js';

let chat: ChatIngest;
beforeAll(async () => {
  chat = await ChatIngest.start();
});
afterAll(() => chat.close());

describe('an adapter that only answers what the contract requires', () => {
  it('is named as the scheme where it names none', async () => {
    chat.adapter.routes['verify-webhook'] = () => ({ ok: true });
    expect(await chat.world.routed(await chat.receive(message(7), null))).toMatchObject({ verified_scheme: 'adapter' });
  });

  it('leaves its verification in the timeline where it cannot parse', async () => {
    const receipt = await chat.receive(batch('text'), null);
    await until('the receipt is dead, after what was verified', async () => {
      const { rows } = await chat.world.pool.query(
        `SELECT stage, outcome FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
        [receipt],
      );
      return rows.map(({ stage, outcome }) => `${stage} ${outcome}`).join() === 'verified ok,parsed dead';
    });
  });

  it('ends the event as refused, in its own words', async () => {
    chat.adapter.routes['verify-webhook'] = () => ({ ok: false, error: 'wrong signature' });
    expect(await chat.ended(await chat.receive(message(8), null))).toEqual({
      outcome: 'refused',
      reason: 'wrong signature',
    });
    chat.adapter.routes['verify-webhook'] = () => ({ ok: true });
  });

  describe('but refuses a post by its status', () => {
    const answer =
      (status: number, body: string, headers: Record<string, string> = {}): Route =>
      (_body, response) =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    const entries = async (receipt: string) => {
      const { rows } = await chat.world.pool.query(
        `SELECT stage, outcome, reason, detail FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
        [receipt],
      );
      return rows;
    };
    const refusal = async (route: Route) => {
      const before = chat.adapter.bodiesOf('verify-webhook').length;
      chat.adapter.routes['verify-webhook'] = route;
      const receipt = await chat.receive(message(9), null);
      await chat.ended(receipt);
      return { rows: await entries(receipt), calls: chat.adapter.bodiesOf('verify-webhook').length - before };
    };
    afterEach(() => {
      chat.adapter.routes['verify-webhook'] = () => ({ ok: true });
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
      chat.adapter.routes['verify-webhook'] = answer(401, '{}');
      expect(await chat.handshake({ challenge_response: 'value' })).toMatchObject({
        refused: { error: 'bad_signature' },
      });
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
      chat.adapter.routes['verify-webhook'] = route;
      const receipt = await chat.receive(message(10), null);
      const [first] = await until('it will be retried', async () => {
        const rows = await entries(receipt);
        return rows.length > 0 ? rows : null;
      });
      expect(first).toMatchObject({ outcome: 'retrying', detail: { error: expect.stringMatching(words) } });
    });
  });

  it('flags a handshake by its answer alone, which is then not a message', async () => {
    expect((await chat.handshake({ challenge_response: 'value' })).answer).toMatchObject({
      status: 200,
      body: 'value',
    });
    expect((await chat.handshake({ challenge_response: 1158201444 })).answer).toMatchObject({ body: '1158201444' });
  });

  it('says of a handshake that came as a message how its provider can be answered in time', async () => {
    const receipt = await chat.receive({ challenge_response: 'value' });
    expect(await chat.ended(receipt)).toEqual({ outcome: 'challenge', reason: 'answered_too_late' });
    const { rows } = await chat.world.pool.query(`SELECT detail FROM ${everyEntry} e WHERE receipt_id = $1`, [receipt]);
    expect(rows[0].detail.to_do).toMatch(/webhook\.handshake/);
  });

  it('may omit what only triggers need, which is handed on as missing', async () => {
    const [parsed] = await chat.routed(
      await chat.receive({ sender: 'ada', message: 'hi', is_bot: null, thread_id: null }),
    );
    expect(parsed).toMatchObject({ sender: 'ada', message: 'hi', missing: ['event_type', 'is_bot'] });
    expect(parsed).not.toHaveProperty('thread_id');
    expect((await chat.routed(await chat.receive(message(77))))[0]).not.toHaveProperty('missing');
  });
});

describe('a handshake through the adapter', () => {
  const ask = async (response: unknown) =>
    (
      await chat.handshake({
        event_type: 'challenge',
        sender: '',
        message: '',
        is_bot: false,
        challenge_response: response,
      })
    ).answer;
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
    expect(await chat.handshake(message(1))).toEqual({ answer: null });
  });

  it('is not parsed before the adapter has accepted it', async () => {
    const routes = (): string[] => chat.adapter.calls.splice(0).map(({ route }) => route);
    routes();
    expect(await chat.handshake(message(1))).toEqual({ answer: null });
    expect(routes()).toEqual(['verify-webhook', 'parse-inbound']);
    chat.adapter.routes['verify-webhook'] = () => ({ ok: false, error: 'bad_signature' });
    expect(await chat.handshake({ challenge_response: 'x' })).toEqual({
      refused: { error: 'bad_signature' },
      answer: null,
    });
    expect(routes()).toEqual(['verify-webhook']);
    await chat.handshake({ challenge_response: 'x' }, { verified: true });
    expect(routes()).toEqual(['parse-inbound']);
    chat.adapter.routes['verify-webhook'] = () => ({ ok: true });
    await chat.handshake({ challenge_response: 'x' }, { declared: true });
    expect(routes()).toEqual(['verify-webhook']);
  });

  it('is asked for whether or not the App was verified', async () => {
    chat.adapter.routes['verify'] = () => ({ ok: true, user: 'the agent' });
    const endpoint = async () =>
      (await chat.world.internal('GET', 'endpoints?after=0')).body.endpoints.find((each) => each.app_id === chat.app);
    expect(await endpoint()).toMatchObject({ adapter_handshake: true });
    chat.world.vault.credentials.set('verified', { token: 'x' });
    await chat.world.call('PATCH', `apps/${chat.app}`, { credential_id: 'verified' });
    expect((await chat.world.call('POST', `apps/${chat.app}/verify`)).body).toMatchObject({ ok: true });
    expect(await endpoint()).toMatchObject({ adapter_handshake: true });
  });
});
