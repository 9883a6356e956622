import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createGmailAdapter } from './gmail.adapter.js';

const TOKEN = 'canary-ya29-token';
const TOPIC = 'projects/my-project/topics/gmail';

let google: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  google = await startProviderServer();
  adapter = await hostAdapter((http) => createGmailAdapter({ ...http, apiUrl: google.url }));
});
beforeEach(() => {
  google.seen.length = 0;
  google.answer = () => ({ body: { historyId: '1234567890', expiration: '1795881600000' } });
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain(TOKEN);
  await adapter.close();
  await google.close();
});

const renew = (credentials: object = { pubsub_topic: TOPIC }) =>
  adapter.call('renew-webhook', {
    credentials: { access_token: TOKEN, ...credentials },
    webhook_url: 'https://gatehouse.example/api/v1/webhooks/t',
  });

describe('the watch of a mailbox', () => {
  it('is renewed for INBOX and SENT, and says when it ends', async () => {
    expect(await renew()).toEqual({ ok: true, expires_at: new Date(1_795_881_600_000).toISOString() });
    expect(google.seen.map(({ url, fields, headers }) => [url, fields, headers.authorization])).toEqual([
      [
        '/gmail/v1/users/me/watch',
        { topicName: TOPIC, labelIds: ['INBOX', 'SENT'], labelFilterBehavior: 'include' },
        `Bearer ${TOKEN}`,
      ],
    ]);
  });

  it.each([{}, { pubsub_topic: 'gmail' }, { pubsub_topic: 'projects/p/topics/../x' }])(
    'is left to a person with the credentials %j',
    async (credentials) => {
      expect(await renew(credentials)).toMatchObject({ ok: false, error: 'not_configured' });
      expect(google.seen).toEqual([]);
    },
  );

  it.each<[string, Reply]>([
    ['auth_failed', { status: 401, body: { error: { code: 401, message: TOKEN, status: 'UNAUTHENTICATED' } } }],
    ['permission_denied', { status: 403, body: { error: { code: 403, message: TOKEN, status: 'PERMISSION_DENIED' } } }],
    ['provider_unavailable', { status: 503 }],
  ])('that Google refuses is %s, without the words of Google', async (error, reply) => {
    google.answer = () => reply;
    const answer = await renew();
    expect(answer).toMatchObject({ ok: false, error });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });
});
