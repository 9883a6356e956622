import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer } from '../testing/provider-server.js';
import { createTelegramAdapter } from './telegram.adapter.js';

const credentials = {
  token: '110201543:canary-AAHdqTcvCH1vGWJxfSeofSAs0K5',
  signing_secret: ['new-secret', 'old-secret'],
};
const webhook_url = 'https://gatehouse.example/api/v1/webhooks/t';

let telegram: ProviderServer;
let adapter: AdapterHost;
let info: object;
beforeAll(async () => {
  telegram = await startProviderServer(({ url }) => ({
    body: { ok: true, result: url.endsWith('/getWebhookInfo') ? info : true },
  }));
  adapter = await hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: telegram.url }));
});
beforeEach(() => {
  telegram.seen.length = 0;
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain('canary');
  await adapter.close();
  await telegram.close();
});

const since = '2026-11-27T10:00:00.000Z';
const missed = () => adapter.call('missed-since', { credentials, webhook_url, since, until: since, cursor: null });
const set = () => telegram.seen.filter(({ url }) => url.endsWith('/setWebhook')).map(({ fields }) => fields);

describe("Telegram's pending updates", () => {
  it('are sent now: the webhook is set again to what it is, and nothing is dropped', async () => {
    const own = { url: webhook_url, allowed_updates: ['message'], max_connections: 20 };
    info = { ...own, pending_update_count: 3, has_custom_certificate: false };
    expect(await missed()).toEqual({ ok: true, redeliveries: 3, requests: [] });
    expect(set()).toEqual([{ ...own, secret_token: 'new-secret', drop_pending_updates: false }]);
  });

  it('are left alone where there are none', async () => {
    info = { url: webhook_url, pending_update_count: 0 };
    expect(await missed()).toEqual({ ok: true, redeliveries: 0, requests: [] });
    expect(set()).toEqual([]);
  });

  it.each([
    { url: 'https://elsewhere.example/', pending_update_count: 3 },
    { url: webhook_url, pending_update_count: 3, has_custom_certificate: true },
  ])('are left to a person where setting it again would change it: %j', async (found) => {
    info = found;
    expect(await missed()).toMatchObject({ ok: false, error: 'not_configured' });
    expect(set()).toEqual([]);
  });
});
