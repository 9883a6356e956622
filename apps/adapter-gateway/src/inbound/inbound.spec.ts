import { inboundParse, type InboundRequest, messageRoute, newId } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import { gatewayWorld, type GatewayWorld, home } from '../testing/gateway-under-test.js';
import { type MoodyAdapter, moodyAdapter } from '../testing/moody-adapter.js';

let world: GatewayWorld;
let adapter: MoodyAdapter;
let app: string;
let jobs: JobClient;

const request: InboundRequest = {
  method: 'POST',
  url: '/api/v1/webhooks/***',
  path: '/api/v1/webhooks/***',
  query: {},
  headers: {},
  body: '{}',
  body_encoding: 'utf8',
};

beforeAll(async () => {
  world = await gatewayWorld();
  await world.start();
  jobs = new JobClient(testRedisUrl());
  adapter = await moodyAdapter('chat');
  await world.call('POST', 'adapters', { url: adapter.url });
  app = (await world.call('POST', 'listings/chat/install', {})).body.id;
});
afterAll(async () => {
  await jobs.close();
  await adapter.close();
  await world.close();
});

/** @returns the receipt's id */
async function receive(answer: unknown, scheme: string | null = 'none'): Promise<string> {
  adapter.routes['parse-inbound'] = () => answer;
  const receipt = newId('evt');
  await jobs.wake(inboundParse, {
    receipt_id: receipt,
    received_at: new Date().toISOString(),
    organization_id: home.organizationId,
    project_id: home.projectId,
    app_id: app,
    verified_scheme: scheme,
    request,
  });
  return receipt;
}
const message = (n: number, type = 'message_received'): object => ({
  event_type: type,
  sender: 'ada',
  message: `message ${n}`,
  is_bot: false,
  dedup_key: `key-${n}`,
});
const batch = (messages: unknown): object => ({
  event_type: 'batch',
  sender: '',
  message: '',
  is_bot: false,
  metadata: { messages },
});
const routing = (receipt: string): Promise<any> =>
  until('the receipt is routed', async () =>
    (await world.waiting(messageRoute)).find((payload) => payload.receipt_id === receipt),
  );
const routed = async (receipt: string): Promise<any[]> => (await routing(receipt)).messages;
const ended = (receipt: string): Promise<{ outcome: string; reason: string }> =>
  until('the receipt has ended', async () => {
    const { rows } = await world.pool.query(
      `SELECT outcome, reason FROM journal.entry WHERE receipt_id = $1 AND outcome <> 'retrying'`,
      [receipt],
    );
    return rows[0];
  });

describe('a delivery of several messages', () => {
  it('is split into them, each with its own key, without those that are ignored', async () => {
    const receipt = await receive(batch([message(1), message(2, 'ignored'), message(3)]));
    expect((await routed(receipt)).map(({ dedup_key: key }) => key)).toEqual(['key-1', 'key-3']);
  });

  it('of which none is left is ignored', async () => {
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

describe('an adapter that says no more than the contract shows', () => {
  it('verifies without naming a scheme', async () => {
    adapter.routes['verify-webhook'] = () => ({ ok: true });
    expect(await routing(await receive(message(7), null))).toMatchObject({ verified_scheme: 'adapter' });
  });

  it('refuses in its own words', async () => {
    adapter.routes['verify-webhook'] = () => ({ ok: false, error: 'wrong signature' });
    expect(await ended(await receive(message(8), null))).toEqual({ outcome: 'refused', reason: 'wrong signature' });
  });

  it('flags a handshake by its answer alone, which is then no message', async () => {
    adapter.routes['parse-inbound'] = () => ({ challenge_response: 'value' });
    const body = { request, received_at: new Date().toISOString() };
    const { answer } = (await world.service('POST', `apps/${app}/handshake`, body)).body;
    expect(answer).toMatchObject({ status: 200, body: 'value' });
    expect(await ended(await receive({ challenge_response: 'value' }))).toMatchObject({ outcome: 'challenge' });
  });
});

describe('a handshake through the adapter', () => {
  const ask = async (response: unknown): Promise<any> => {
    adapter.routes['parse-inbound'] = () => ({
      event_type: 'challenge',
      sender: '',
      message: '',
      is_bot: false,
      challenge_response: response,
    });
    const body = { request, received_at: new Date().toISOString() };
    return (await world.service('POST', `apps/${app}/handshake`, body)).body.answer;
  };
  const nosniff = { 'x-content-type-options': 'nosniff' };

  it('answers a text as text, and an object as it says, but never as a page or with a cookie', async () => {
    const text = { 'content-type': 'text/plain; charset=utf-8', ...nosniff };
    expect(await ask('value')).toEqual({ status: 200, headers: text, body: 'value' });
    const headers = { 'Content-Type': 'text/html', 'Set-Cookie': 'a=b', 'X-Hook-Secret': 's' };
    expect(await ask({ status: 201, headers, body: '<p>' })).toEqual({
      status: 201,
      headers: { 'x-hook-secret': 's', ...text },
      body: '<p>',
    });
    expect(await ask({ headers: { 'content-type': 'application/json' }, body: { a: 1 } })).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', ...nosniff },
      body: '{"a":1}',
    });
  });

  it('is none when the adapter says that it is a message', async () => {
    adapter.routes['parse-inbound'] = () => message(1);
    const body = { request, received_at: new Date().toISOString() };
    expect((await world.service('POST', `apps/${app}/handshake`, body)).body.answer).toBeNull();
  });
});

describe('a message that says that documents have changed', () => {
  it('synchronises the sources that wait for it', async () => {
    adapter.routes['sources/list-changes'] = () => ({ changes: [], cursor: 'c' });
    const make = async (hint: string): Promise<string> => {
      const body = { app_id: app, name: hint, resource_path: '', hint_events: [hint] };
      return (await world.call('POST', 'sources', body)).body.id;
    };
    const [told, other] = [await make('push'), await make('mailbox_changed')];
    const run = await until('a run has ended', async () => {
      // The sources of an App are known some seconds later: a hint in between is lost, as any may be.
      await routed(await receive(message(Math.random(), 'push')));
      const { body } = await world.call('GET', `sources/${told}/runs`);
      return body.data.find(({ state }: any) => state === 'succeeded');
    });
    expect(run).toMatchObject({ cause: 'webhook' });
    expect((await world.call('GET', `sources/${other}/runs`)).body.data).toEqual([]);
  });
});
