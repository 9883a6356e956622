import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { batch, ChatIngest, message } from '../../testing/chat-ingest.js';
import type { Route } from '../../testing/fake-adapter.js';

let chat: ChatIngest;
beforeAll(async () => {
  chat = await ChatIngest.start();
});
afterAll(() => chat.close());

/** Expects the violation in the timeline, after one attempt, and on the adapter's page. */
async function isViolationOf(receipt: string, violation: string): Promise<void> {
  const sql = `SELECT outcome, detail FROM ${everyEntry} e WHERE receipt_id = $1`;
  const { rows } = await chat.world.pool.query(sql, [receipt]);
  expect(rows).toMatchObject([{ outcome: 'dead', detail: { error: violation } }]);
  await chat.shown(violation);
}

describe('the request of a message', () => {
  it('is handed on for filters, once, without secrets', async () => {
    chat.adapter.routes['parse-inbound'] = () => batch([message(1), message(2)]);
    const headers = { 'x-github-event': 'push', authorization: 'Bearer secret', 'x-hub-signature-256': 'sha256=ab' };
    const job = await chat.world.routed(
      await chat.arrive('none', { headers, query: { x: '1', access_token: 'secret' } }),
    );
    expect(job.request).toEqual({ headers: { 'x-github-event': 'push' }, query: { x: '1' } });
    expect(JSON.stringify(job)).not.toContain('secret');
  });
});

describe('a delivery of several messages', () => {
  it('is split into them, each with its own key, without those that are ignored', async () => {
    const receipt = await chat.receive(batch([message(1), message(2, 'ignored'), message(3)]));
    expect((await chat.routed(receipt)).map(({ dedup_key: key }) => key)).toEqual(['key-1', 'key-3']);
  });

  it('is ignored when none of them is left', async () => {
    expect(await chat.ended(await chat.receive(batch([])))).toEqual({ outcome: 'ignored', reason: 'empty_batch' });
    expect(await chat.ended(await chat.receive(batch([message(1, 'ignored')])))).toMatchObject({ outcome: 'ignored' });
  });

  it.each([
    ['no list', batch('text')],
    ['a batch in a batch', batch([batch([message(1)])])],
    ['a message without a text', batch([message(1), { event_type: 'x', sender: 'ada' }])],
  ])('with %s breaks the contract', async (_what, answer) => {
    const receipt = await chat.receive(answer);
    expect(await chat.ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    const { rows } = await chat.world.pool.query(
      `SELECT 1 FROM ${everyEntry} e WHERE receipt_id = $1 AND outcome = 'retrying'`,
      [receipt],
    );
    expect(rows).toEqual([]);
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
    chat.adapter.routes['parse-inbound'] = answering(given);
    expect(await chat.routed(await chat.arrive('none'))).toMatchObject([taken]);
  });

  it('is handed on so in each message of several', async () => {
    const several = `{"event_type":"batch","sender":"","message":"","is_bot":false,"metadata":{"messages":[${given}]}}`;
    chat.adapter.routes['parse-inbound'] = answering(several);
    expect(await chat.routed(await chat.arrive('none'))).toMatchObject([taken]);
  });

  it('is handed on as null where it is null', async () => {
    const metadata = { channel_address: null, account: null, sender: null };
    expect(await chat.routed(await chat.receive({ ...message(Math.random()), metadata }))).toMatchObject([
      { metadata },
    ]);
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
      const receipt = await chat.receive({ ...message(Math.random()), ...wrong });
      expect(await chat.ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
      await isViolationOf(receipt, `/parse-inbound: ${violation}`);
    },
  );

  it('in /verify-webhook also ends it, and nothing is parsed', async () => {
    chat.adapter.routes['verify-webhook'] = () => ({ ok: 'true' });
    chat.adapter.calls.length = 0;
    const receipt = await chat.receive(message(90), null);
    expect(await chat.ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    await isViolationOf(receipt, '/verify-webhook: ok must be true or false, not a text');
    expect(chat.adapter.calls.map(({ route }) => route)).toEqual(['verify-webhook']);
    chat.adapter.routes['verify-webhook'] = () => ({ ok: true });
  });

  it('also ends it where the answer is not JSON', async () => {
    chat.adapter.routes['parse-inbound'] = (_body, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    const receipt = await chat.arrive('none');
    expect(await chat.ended(receipt)).toEqual({ outcome: 'dead', reason: 'contract_violation' });
    await isViolationOf(receipt, '/parse-inbound answered text/html, not application/json');
  });

  it('that the router misses is shown on the page of the adapter', async () => {
    const violation = '/parse-inbound: is_bot must be there';
    await chat.world.internal('POST', `apps/${chat.app}/contract-violations`, { violation });
    await chat.shown(violation);
  });
});

describe('a message that says that documents have changed', () => {
  it('syncs the sources that wait for it', async () => {
    chat.adapter.routes['sources/list-changes'] = () => ({ changes: [], cursor: 'c' });
    const make = async (hint: string): Promise<string> => {
      const body = { app_id: chat.app, name: hint, resource_path: '', hint_events: [hint] };
      return (await chat.world.call('POST', 'sources', body)).body.id;
    };
    const [hinted, other] = [await make('push'), await make('mailbox_changed')];
    const run = await until('a run has ended', async () => {
      // A new source is unknown until the cache expires: a hint before that is lost, as any may be.
      await chat.routed(await chat.receive(message(Math.random(), 'push')));
      const { body } = await chat.world.call('GET', `sources/${hinted}/runs`);
      return body.data.find(({ state }) => state === 'succeeded');
    });
    expect(run).toMatchObject({ cause: 'webhook' });
    expect((await chat.world.call('GET', `sources/${other}/runs`)).body.data).toEqual([]);
  });
});
