import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createSlackAdapter } from './slack.adapter.js';
import { HASTY_MS } from '../testing/patience.js';
import type { SocketHttp } from '../held-sockets/held-sessions.js';

const TOKEN = 'xoxb-canary-5521';
const call = { credentials: { token: TOKEN }, channel_address: 'C1', message: { text: 'hello' }, idempotency_key: 'k' };

let slack: ProviderServer;
let adapter: AdapterHost;
let hasty: AdapterHost;
beforeAll(async () => {
  slack = await startProviderServer();
  const make = (http: SocketHttp) => createSlackAdapter({ ...http, apiUrl: slack.url, hooksUrl: slack.url });
  [adapter, hasty] = await Promise.all([hostAdapter(make), hostAdapter(make, HASTY_MS)]);
});
beforeEach(() => {
  slack.seen.length = 0;
});
afterAll(async () => {
  expect(adapter.logs() + hasty.logs()).not.toContain(TOKEN);
  await Promise.all([adapter.close(), hasty.close()]);
  await slack.close();
});

const refusal = (error: string): Reply => ({ body: { ok: false, error } });

describe('an answer of Slack becomes a code', () => {
  it.each<[Reply, string, object]>([
    [refusal('invalid_auth'), 'auth_failed', { retryable: false, provider_code: 'invalid_auth' }],
    [refusal('token_revoked'), 'auth_failed', {}],
    [refusal('account_inactive'), 'auth_failed', {}],
    [refusal('missing_scope'), 'permission_denied', {}],
    [refusal('not_in_channel'), 'permission_denied', {}],
    [refusal('is_archived'), 'permission_denied', {}],
    [refusal('channel_not_found'), 'not_found', {}],
    [refusal('msg_too_long'), 'too_large', {}],
    [refusal('no_text'), 'invalid_format', {}],
    [refusal('ratelimited'), 'rate_limited', { retry_after: 30 }],
    [refusal('something_new'), 'invalid_request', { provider_code: 'something_new' }],
    [refusal('internal_error'), 'provider_unavailable', { retryable: true }],
    [
      { status: 429, headers: { 'retry-after': '17' }, body: { ok: false, error: 'ratelimited' } },
      'rate_limited',
      { retry_after: 17, retryable: true },
    ],
    [{ status: 503, body: '<html>Service Unavailable</html>' }, 'provider_unavailable', {}],
    [{ status: 200, body: '<html>Sign in to the guest network</html>' }, 'provider_unavailable', {}],
    [{ status: 404, body: '<html></html>' }, 'not_found', {}],
  ])('%j is %s', async (reply, error, detail) => {
    slack.answer = () => reply;
    expect(await adapter.call('deliver', call)).toMatchObject({
      ok: false,
      error,
      delivered_parts: 0,
      error_detail: detail,
    });
    expect(slack.seen).toHaveLength(1);
  });

  it('no answer in time may mean a posted message, and is not to be retried blindly', async () => {
    slack.answer = () => 'silence';
    expect(await hasty.call('deliver', call)).toMatchObject({ error: 'timeout', error_detail: { retryable: false } });
    expect(await hasty.call('verify', call)).toMatchObject({ ok: false, error: 'provider_unavailable' });
  });

  it('a look-up that Slack refuses does not say that nothing arrived', async () => {
    slack.answer = () => refusal('missing_scope');
    await expect(adapter.call('deliver/lookup', call)).rejects.toThrow('503');
  });
});

describe('a posted message', () => {
  it('notifies no channel and unfurls no address of the text, in any format', async () => {
    slack.answer = () => ({ body: { ok: true, ts: '1.1' } });
    const text = 'Hi <!channel> <!here|here> <!subteam^S1|@all> @everyone <@U1> a & b';
    for (const format of ['markdown', 'plain', 'native']) {
      await adapter.call('deliver', { ...call, message: { text, format } });
    }
    for (const { fields } of slack.seen) {
      expect(fields).toMatchObject({ unfurl_links: false, unfurl_media: false });
      expect(fields.text).not.toMatch(/<!|@everyone|@here/);
    }
    const [markdown, plain] = slack.seen.map(({ fields }) => String(fields.text));
    expect(markdown).toMatch(/<@U1> a &amp; b$/);
    expect(plain).toMatch(/&lt;@U1&gt; a &amp; b$/);
  });

  it('fails at part three of five and posts each part once over the retry, under a name of its own', async () => {
    let refused = false;
    const posted: string[] = [];
    slack.answer = ({ fields }) => {
      if (posted.length === 2 && !refused) {
        refused = true;
        return { status: 503 };
      }
      posted.push(String(fields.text));
      return { body: { ok: true, ts: `1700000000.00000${posted.length}` } };
    };
    const text = Array.from({ length: 5 }, (_, part) => `${part}`.repeat(3_000)).join('\n\n');
    const failed = await adapter.call('deliver', { ...call, message: { text } });
    expect(failed).toMatchObject({ ok: false, error: 'provider_unavailable', delivered_parts: 2 });
    const rest = await adapter.call('deliver', { ...call, message: { text }, from_part: failed.delivered_parts });
    expect(rest).toMatchObject({ ok: true });
    expect(posted.join('\n\n')).toBe(text);
    const ids = slack.seen.map(({ fields }) => fields.client_msg_id);
    expect(ids[3]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(5);
  });

  it('needs a text and the ts of a thread, and the bytes of every file', async () => {
    const attached = { text: 'see this', attachments: [{ id: 'f' }] };
    expect(await adapter.call('deliver', { ...call, message: attached })).toMatchObject({
      error: 'invalid_request',
    });
    expect(await adapter.call('deliver', { ...call, message: { text: ' ' } })).toMatchObject({
      error: 'invalid_request',
    });
    expect(await adapter.call('deliver', { ...call, message: { text: 'x', thread_id: '../x' } })).toMatchObject({
      error: 'invalid_request',
    });
    expect(await adapter.call('deliver', { ...call, credentials: { token: 'a\r\nb' } })).toMatchObject({
      error: 'auth_failed',
    });
    expect(slack.seen).toHaveLength(0);
  });
});

describe('an answer to a command', () => {
  const answer = (response_url: string, error = 'not_in_channel', status = 200) => {
    slack.answer = ({ url }) => (url === '/chat.postMessage' ? refusal(error) : { status, body: 'ok' });
    return adapter.call('deliver', { ...call, message: { text: 'hello <!here>', reply_context: { response_url } } });
  };
  const called = () => slack.seen.map(({ url }) => url);

  it('goes where Slack asked for it, where the bot is not in the channel', async () => {
    expect(await answer(`${slack.url}/commands/T1/2/x`)).toMatchObject({ ok: true, message_id: expect.any(String) });
    expect(called()).toEqual(['/chat.postMessage', '/commands/T1/2/x']);
    const { fields, headers } = slack.seen[1] ?? {};
    expect(fields).toMatchObject({ response_type: 'in_channel', replace_original: false, unfurl_links: false });
    expect([fields?.text, headers?.authorization]).toEqual([expect.not.stringContaining('<!here>'), undefined]);
  });

  it('is sent again later, where Slack cannot take it now', async () => {
    expect(await answer(`${slack.url}/x`, 'not_in_channel', 503)).toMatchObject({
      error: 'provider_unavailable',
      error_detail: { provider_status: 503 },
    });
  });

  it('fails as the message failed, when Slack takes no more answers, and where another thing is wrong', async () => {
    expect(await answer(`${slack.url}/x`, 'channel_not_found', 404)).toMatchObject({ ok: false, error: 'not_found' });
    slack.seen.length = 0;
    expect(await answer(`${slack.url}/x`, 'is_archived')).toMatchObject({ error: 'permission_denied' });
    expect(await answer('https://evil.example/x')).toMatchObject({ error: 'permission_denied' });
    expect(await answer('http://u:p@127.0.0.1/x')).toMatchObject({ error: 'permission_denied' });
    expect(called()).toEqual(['/chat.postMessage', '/chat.postMessage', '/chat.postMessage']);
  });
});
