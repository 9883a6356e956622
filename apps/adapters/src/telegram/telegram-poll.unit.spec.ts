import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { type ProviderServer, type Reply, startProviderServer } from '../testing/provider-server.js';
import { createTelegramAdapter } from './telegram.adapter.js';

const credentials = { token: '1:abc' };
let telegram: ProviderServer;
let adapter: AdapterHost;
let updates: JsonObject[];
let answer: ((method: string) => Reply | undefined) | null;

beforeAll(async () => {
  telegram = await startProviderServer(({ url, fields }) => {
    const method = url.split('/').at(-1) ?? '';
    const given = answer?.(method);
    if (given) return given;
    if (method !== 'getUpdates') return { body: { ok: true, result: true } };
    const from = Number(fields.offset ?? 0);
    return { body: { ok: true, result: updates.filter(({ update_id }) => Number(update_id) >= from) } };
  });
  adapter = await hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: telegram.url }));
});
beforeEach(() => {
  telegram.seen.length = 0;
  [updates, answer] = [[], null];
});
afterAll(async () => {
  await adapter.close();
  await telegram.close();
});

const poll = (more: JsonObject = {}) => adapter.call('poll', { credentials, wait_seconds: 0, ...more });
const methods = () => telegram.seen.map(({ url }) => url.split('/').at(-1));
const update = (id: number) => ({
  update_id: id,
  message: { message_id: id, chat: { id: 7, type: 'private' }, text: 'x' },
});

describe('the updates of a bot', () => {
  it('are asked for after its webhook is taken away, once', async () => {
    updates = [update(5), update(6)];
    expect(await poll()).toMatchObject({ ok: true, events: [{ id: '5' }, { id: '6' }], cursor: '7' });
    expect(methods()).toEqual(['deleteWebhook', 'getUpdates']);
    expect(telegram.seen[0]?.fields).toEqual({ drop_pending_updates: false });
    expect(await poll({ cursor: '7', wait_seconds: 20 })).toEqual({ ok: true, events: [], cursor: '7' });
    expect(methods().slice(2)).toEqual(['getUpdates']);
    expect(telegram.seen.at(-1)?.fields).toMatchObject({ offset: 7, timeout: 20, limit: 100 });
  });

  it('are what the webhook would bring', async () => {
    updates = [update(5)];
    const { events } = (await poll()) as { events: { body: string }[] };
    const parsed = await adapter.call('parse-inbound', {
      credentials,
      request: { headers: { 'content-type': 'application/json' }, body: events[0]?.body },
    });
    expect(parsed).toMatchObject({
      event_type: 'message_received',
      message: 'x',
      dedup_key: expect.stringContaining('5'),
    });
  });

  it('are not asked for while the webhook stands, and a refusal has its code', async () => {
    answer = (method) =>
      method === 'deleteWebhook' ? { status: 401, body: { ok: false, error_code: 401 } } : undefined;
    expect(await poll()).toMatchObject({ ok: false, error: 'auth_failed' });
    expect(methods()).toEqual(['deleteWebhook']);
    answer = () => ({ status: 429, body: { ok: false, error_code: 429, parameters: { retry_after: 9 } } });
    expect(await poll({ cursor: '1' })).toMatchObject({ error: 'rate_limited', error_detail: { retry_after: 9 } });
    expect(await poll({ cursor: 'next' })).toMatchObject({ ok: false, error: 'invalid_request' });
  });
});
