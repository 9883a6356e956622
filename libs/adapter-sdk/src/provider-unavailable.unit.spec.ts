import { pino } from 'pino';
import { createAdapterServer, defineAdapter, ProviderUnavailable } from './index.js';

function down(): never {
  throw new ProviderUnavailable('the chat does not answer', 12);
}

const app = createAdapterServer(
  [
    defineAdapter({
      manifest: {
        schema_version: '1.0',
        slug: 'down',
        name: 'Down',
        description: 'Its provider does not answer.',
        category: 'communication',
        capabilities: ['send'],
        credentials: [],
      },
      verify: down,
      deliver: down,
      verifyWebhook: down,
      format: ({ text }) => ({ text, format: 'plain', parts: [text], lossy: [] }),
    }),
  ],
  { version: 'test', logger: pino({ level: 'silent' }) },
);
const post = (route: string, payload: object) => app.inject({ method: 'POST', url: `/down/${route}`, payload });

describe('a provider that is down', () => {
  it('does not make credentials invalid', async () => {
    const { statusCode, body } = await post('verify', { credentials: { token: 'x' } });
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      { ok: false, error: 'provider_unavailable', message: 'the chat does not answer' },
    ]);
  });

  it('makes a delivery retryable, after the time that the provider asked for', async () => {
    const { statusCode, body } = await post('deliver', { channel_address: 'c', message: { text: 'x' } });
    const detail = { message: 'the chat does not answer', retryable: true, retry_after: 12 };
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      { ok: false, error: 'provider_unavailable', error_detail: detail },
    ]);
  });

  it('leaves a webhook unverified, with 503 and Retry-After', async () => {
    const { statusCode, headers } = await post('verify-webhook', { request: {} });
    expect([statusCode, headers['retry-after']]).toEqual([503, '12']);
  });
});
