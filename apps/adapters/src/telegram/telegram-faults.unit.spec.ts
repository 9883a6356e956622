import type { ProviderHttp } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createTelegramAdapter } from './telegram.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

const TOKEN = '110201543:canary-AAHdqTcvCH1vGWJxfSeofSAs0K5';
const call = { credentials: { token: TOKEN }, channel_address: '55', message: { text: 'hello' } };

let telegram: ProviderServer;
let adapter: AdapterHost;
let hasty: AdapterHost;
beforeAll(async () => {
  telegram = await startProviderServer();
  const make = (http: ProviderHttp) => createTelegramAdapter({ ...http, apiUrl: telegram.url });
  [adapter, hasty] = await Promise.all([hostAdapter(make), hostAdapter(make, HASTY_MS)]);
});
beforeEach(() => {
  telegram.seen.length = 0;
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain('canary');
  await Promise.all([adapter.close(), hasty.close()]);
  await telegram.close();
});

function refusal(status: number, description: string, parameters?: object): Reply {
  return { status, body: { ok: false, error_code: status, description, ...(parameters && { parameters }) } };
}

describe('an answer of Telegram becomes a code', () => {
  it.each<[Reply, string, object]>([
    [refusal(401, 'Unauthorized'), 'auth_failed', { retryable: false }],
    [refusal(404, 'Not Found'), 'auth_failed', {}],
    [refusal(403, 'Forbidden: bot was blocked by the user'), 'permission_denied', {}],
    [refusal(403, 'Forbidden: bot was kicked from the supergroup chat'), 'permission_denied', {}],
    [refusal(400, 'Bad Request: not enough rights to send text messages to the chat'), 'permission_denied', {}],
    [refusal(400, 'Bad Request: chat not found'), 'not_found', {}],
    [refusal(400, 'Bad Request: message thread not found'), 'not_found', {}],
    [refusal(400, 'Bad Request: message is too long'), 'too_large', {}],
    [refusal(400, 'Bad Request: something new'), 'invalid_request', {}],
    [
      refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1001234567890 }),
      'address_moved',
      { channel_address: '-1001234567890' },
    ],
    [
      refusal(429, 'Too Many Requests: retry after 14', { retry_after: 14 }),
      'rate_limited',
      { retry_after: 14, retryable: true },
    ],
    [refusal(502, 'Bad Gateway'), 'provider_unavailable', { retryable: true }],
    [{ status: 504, body: '<html>Gateway Time-out</html>' }, 'provider_unavailable', {}],
    [{ status: 200, body: '<html>Sign in to the guest network</html>' }, 'provider_unavailable', {}],
  ])('%j is %s', async (reply, error, detail) => {
    telegram.answer = () => reply;
    expect(await adapter.call('deliver', call)).toMatchObject({
      ok: false,
      error,
      delivered_parts: 0,
      error_detail: detail,
    });
    expect(telegram.seen).toHaveLength(1);
  });

  it('no answer in time may mean a sent message, and is not to be retried blindly', async () => {
    telegram.answer = () => 'silence';
    expect(await hasty.call('deliver', call)).toMatchObject({ error: 'timeout', error_detail: { retryable: false } });
  });

  it('a delivery that fails at part three of five resumes there', async () => {
    const sent: string[] = [];
    let refused = false;
    telegram.answer = ({ fields }) => {
      if (sent.length === 2 && !refused) {
        refused = true;
        return refusal(429, 'Too Many Requests: retry after 3', { retry_after: 3 });
      }
      sent.push(String(fields.text));
      return { body: { ok: true, result: { message_id: sent.length } } };
    };
    const text = Array.from({ length: 5 }, (_, part) => `${part}`.repeat(3_000)).join('\n\n');
    const failed = await adapter.call('deliver', { ...call, message: { text } });
    expect(failed).toMatchObject({ error: 'rate_limited', delivered_parts: 2, error_detail: { retry_after: 3 } });
    const rest = await adapter.call('deliver', { ...call, message: { text }, from_part: 2 });
    expect(rest).toMatchObject({ ok: true, parts: [{ message_id: '3' }, { message_id: '4' }, { message_id: '5' }] });
    expect(sent.join('\n\n')).toBe(text);
  });

  it('what would become part of an address is refused without a request', async () => {
    for (const changes of [
      { credentials: { token: '1:a/../../x' } },
      { channel_address: 'https://example.com' },
      { message: { text: 'x', thread_id: '../1' } },
      { message: { text: ' ' } },
      { message: { text: 'see this', attachments: [{ id: 'f' }] } },
    ]) {
      expect(await adapter.call('deliver', { ...call, ...changes })).toMatchObject({ ok: false });
    }
    expect(telegram.seen).toHaveLength(0);
  });
});
