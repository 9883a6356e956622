import type { IncomingMessage, ServerResponse } from 'node:http';
import PostalMime from 'postal-mime';
import type { JsonObject } from '#libs/adapter-sdk';
import { MAILBOX } from './testing/gmail-front.js';
import {
  CREDENTIALS,
  gmailError,
  MAIL_HEADERS,
  openGmail,
  pushOf,
  receive,
  type FakeGmailWorld,
} from './testing/gmail-under-test.js';

let gmail: FakeGmailWorld;
beforeAll(async () => {
  gmail = await openGmail();
});
beforeEach(() => gmail.front.intercept(undefined));
afterAll(() => gmail.close());

describe('the loop of a mail, its answer and the push that the answer causes', () => {
  it('answers in the thread, and recognises the answer as its own', async () => {
    const received = await receive(gmail.front, [...MAIL_HEADERS, 'Message-ID: <loop@x>', 'References: <root@x>']);
    const batch = await gmail.parse(pushOf('7'), { credentials: CREDENTIALS });
    const [changed, mail] = batch.metadata?.messages ?? [];
    expect(batch.event_type).toBe('batch');
    expect(changed).toMatchObject({
      event_type: 'mailbox_changed',
      sender: MAILBOX,
      dedup_key: `gmail:history:${MAILBOX}:7`,
    });
    expect(changed?.metadata?.channel_address).toBeNull();
    expect(mail).toMatchObject({
      event_type: 'email_received',
      sender: 'jane@example.org',
      message: 'Is the build green?',
      is_bot: false,
      dedup_key: `gmail:${String(received.id)}`,
      thread_id: received.threadId,
      metadata: { account: MAILBOX, channel_address: 'jane@example.org', subject: 'Build', is_self: false },
    });

    const sent = await gmail.deliver({
      text: 'It is **green**.',
      thread_id: mail?.thread_id,
      reply_context: mail?.metadata?.reply_context,
    });
    expect(sent).toMatchObject({ ok: true, thread_id: received.threadId, fallback: null });
    const { raw } = await gmail.front.call(`messages/${sent.message_id}?format=raw`);
    const bytes = Buffer.from(String(raw), 'base64url');
    expect(await PostalMime.parse(bytes)).toMatchObject({
      subject: 'Re: Build',
      inReplyTo: '<loop@x>',
      references: '<root@x> <loop@x>',
      text: 'It is green.\n',
      html: expect.stringContaining('<strong>green</strong>'),
    });
    expect(bytes.toString('utf8')).toMatch(/^Auto-Submitted: auto-replied\r$/m);

    const reparsed = await gmail.parse(pushOf('8'), { credentials: CREDENTIALS });
    const own = reparsed.metadata?.messages?.find(({ dedup_key }) => dedup_key === `gmail:${sent.message_id}`);
    expect(own).toMatchObject({ is_bot: true, thread_id: received.threadId, metadata: { is_self: true } });
    const same = reparsed.metadata?.messages?.find(({ dedup_key }) => dedup_key === mail?.dedup_key);
    expect(same).toMatchObject({ is_bot: false });
  });

  it('sends a text of ten times the limit whole and in order, and each part once when one fails', async () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `w${index}`)
      .join(' ')
      .slice(0, 10_000);
    let sends = 0;
    gmail.front.intercept((request, response) => {
      if (!request.url?.endsWith('/send') || ++sends !== 3) return false;
      return response.writeHead(503).end('{}');
    });
    const first = await gmail.deliver({ text }, { idempotency_key: 'long' });
    expect(first).toMatchObject({ ok: false, error: 'provider_unavailable', delivered_parts: 2 });
    const rest = await gmail.deliver({ text, thread_id: 'thr_long' }, { idempotency_key: 'long', from_part: 2 });
    expect(rest).toMatchObject({ ok: true, thread_id: 'thr_long' });
    const words: string[] = [];
    for (const { message_id } of [...first.parts, ...rest.parts]) {
      const { raw } = await gmail.front.call(`messages/${message_id}?format=raw`);
      words.push(...((await PostalMime.parse(Buffer.from(String(raw), 'base64url'))).text ?? '').trim().split(/\s+/));
    }
    expect(words).toEqual(text.split(' '));
  });
});

describe('the documented errors', () => {
  it.each([
    [400, 'badRequest', 'INVALID_ARGUMENT', 'invalid_request', false],
    [400, 'failedPrecondition', 'FAILED_PRECONDITION', 'permission_denied', false],
    [401, 'authError', 'UNAUTHENTICATED', 'auth_failed', false],
    [403, 'dailyLimitExceeded', 'PERMISSION_DENIED', 'rate_limited', true],
    [403, 'userRateLimitExceeded', 'PERMISSION_DENIED', 'rate_limited', true],
    [403, 'rateLimitExceeded', 'PERMISSION_DENIED', 'rate_limited', true],
    [403, 'domainPolicy', 'PERMISSION_DENIED', 'permission_denied', false],
    [403, 'insufficientPermissions', 'PERMISSION_DENIED', 'permission_denied', false],
    [404, 'notFound', 'NOT_FOUND', 'not_found', false],
    [413, 'uploadTooLarge', 'INVALID_ARGUMENT', 'too_large', false],
    [429, 'rateLimitExceeded', 'RESOURCE_EXHAUSTED', 'rate_limited', true],
    [500, 'backendError', 'INTERNAL', 'provider_unavailable', true],
    [503, 'backendError', 'UNAVAILABLE', 'provider_unavailable', true],
  ])('maps %i %s %s to %s', async (code, reason, status, error, retryable) => {
    gmail.front.intercept((_request, response) =>
      response.writeHead(code, { 'retry-after': '30' }).end(gmailError(code, reason, status)),
    );
    expect(await gmail.deliver()).toMatchObject({
      ok: false,
      error,
      error_detail: { retryable, provider_status: code, provider_code: reason, retry_after: 30 },
    });
    const verified = await gmail.call('verify', {});
    const away = error === 'rate_limited' || error === 'provider_unavailable';
    expect(verified).toMatchObject({ ok: false, error: away ? 'provider_unavailable' : 'auth_failed' });
  });

  it('reads the time that Gmail names in a sentence', async () => {
    const until = new Date(Date.now() + 90_000).toISOString();
    const text = `User-rate limit exceeded.  Retry after ${until}`;
    gmail.front.intercept((_request, response) =>
      response.writeHead(429).end(gmailError(429, 'rateLimitExceeded', 'X', text)),
    );
    const { error_detail } = await gmail.deliver();
    expect(Number((error_detail as JsonObject).retry_after)).toBeGreaterThan(80);
  });

  it('opens a new thread when the one to answer in is gone', async () => {
    gmail.front.intercept((request, response) => {
      if (seen++ > 0) return false;
      expect(request.url).toMatch(/send$/);
      return response.writeHead(404).end(gmailError(404, 'notFound', 'NOT_FOUND'));
    });
    let seen = 0;
    expect(await gmail.deliver({ thread_id: 'gone' })).toMatchObject({ ok: true, fallback: 'new_thread' });
    expect(seen).toBe(2);
  });

  it('reports a lost answer as a mail that may have arrived', async () => {
    gmail.front.intercept((_request, response) => response.destroy());
    expect(await gmail.deliver()).toMatchObject({ ok: false, error: 'timeout', error_detail: { retryable: false } });
  });
});

describe('looking up a delivery', () => {
  const search = (mark: string) => (request: IncomingMessage, response: ServerResponse) =>
    response.end(
      JSON.stringify(
        request.url?.includes('/messages?')
          ? { messages: [{ id: 'm1', threadId: 't1' }] }
          : { id: 'm1', payload: { headers: [{ name: 'X-Gatehouse-Delivery', value: mark }] } },
      ),
    );
  const find = () => gmail.call('deliver/lookup', { idempotency_key: 'key-1', channel_address: 'jane@example.org' });

  it('finds only that delivery, by its mark', async () => {
    gmail.front.intercept(search('key-1'));
    expect(await find()).toEqual({ found: true, message_id: 'm1' });
    gmail.front.intercept(search('key-1-3/3'));
    expect(await find()).toEqual({ found: true, message_id: 'm1' });
    for (const other of ['key-2', 'key-1-2/3', 'key-10', 'key-1-3']) {
      gmail.front.intercept(search(other));
      expect(await find()).toEqual({ found: false });
    }
  });

  it('does not report a mail as unsent when the search failed', async () => {
    gmail.front.intercept((_request, response) => response.writeHead(503).end());
    await gmail.post('deliver/lookup', { idempotency_key: 'key-1', channel_address: 'jane@example.org' }, 503);
  });
});

describe('verifying', () => {
  it('names the mailbox, and warns while no push can be verified', async () => {
    expect(await gmail.call('verify', {})).toMatchObject({
      ok: true,
      user: MAILBOX,
      account: { email: MAILBOX },
      warnings: [expect.stringContaining('pubsub_audience')],
    });
    expect(await gmail.call('verify', { credentials: {} })).toMatchObject({ ok: false, error: 'auth_failed' });
    expect(await gmail.call('verify', { credentials: { access_token: 'a\r\nb' } })).toMatchObject({
      ok: false,
      error: 'auth_failed',
    });
  });
});
