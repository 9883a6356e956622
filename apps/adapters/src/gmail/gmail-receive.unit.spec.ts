import type { JsonObject } from '#libs/adapter-sdk';
import { MAILBOX } from './testing/gmail-front.js';
import { CREDENTIALS, openGmail, pushOf, type FakeGmailWorld } from './testing/gmail-under-test.js';

let gmail: FakeGmailWorld;
beforeAll(async () => {
  gmail = await openGmail();
});
beforeEach(() => gmail.front.intercept(undefined));
afterAll(() => gmail.close());

describe('a message resource', () => {
  const resource = (changes: JsonObject = {}, headers: [string, string][] = []) => ({
    id: '18f',
    threadId: '18a',
    labelIds: ['INBOX', 'UNREAD'],
    snippet: 'hello there',
    internalDate: '1795228637000',
    payload: {
      mimeType: 'multipart/mixed',
      filename: '',
      headers: [
        ['From', '"Doe, Jane" <jane@example.org>'],
        ['To', MAILBOX],
        ['Subject', 'Plans'],
        ['Message-Id', '<m1@x>'],
        ...headers,
      ].map(([name, value]) => ({ name, value })),
      parts: [
        {
          mimeType: 'multipart/alternative',
          filename: '',
          parts: [
            { mimeType: 'text/plain', filename: '', body: { data: Buffer.from('Grüße').toString('base64url') } },
            { mimeType: 'text/html', filename: '', body: { data: Buffer.from('<p>no</p>').toString('base64url') } },
          ],
        },
        { partId: '1', mimeType: 'application/pdf', filename: 'a.pdf', body: { attachmentId: 'ANGjd', size: 9 } },
      ],
    },
    ...changes,
  });

  it('becomes an email with its text, its thread and its attachments', async () => {
    expect(await gmail.parse(resource())).toEqual({
      event_type: 'email_received',
      sender: 'jane@example.org',
      message: 'Grüße',
      is_bot: false,
      dedup_key: 'gmail:18f',
      thread_id: '18a',
      metadata: {
        account: MAILBOX,
        subject: 'Plans',
        to: MAILBOX,
        channel_address: 'jane@example.org',
        attachments: [{ id: '1', name: 'a.pdf', content_type: 'application/pdf', size: 9, fetch_ref: '18f/ANGjd' }],
        reply_context: { message_id: '<m1@x>', subject: 'Plans' },
        auto_submitted: false,
        bounce: false,
        mailing_list: false,
        notification: false,
        message_id: '18f',
        is_self: false,
        labels: ['INBOX', 'UNREAD'],
        raw_type: 'gmail.message',
        sender: { id: 'jane@example.org', email: 'jane@example.org', name: 'Doe, Jane' },
        timestamp: '2026-11-21T02:37:17.000Z',
      },
    });
  });

  it.each([
    [['SENT'], [], true],
    [['SENT', 'INBOX'], [], false],
    [['INBOX'], [], false],
    [['SENT', 'INBOX'], [['X-Gatehouse-Delivery', 'k']], true],
  ] as [string[], [string, string][], boolean][])(
    'with the labels %j and headers %j: is_bot is %s',
    async (labelIds, headers, own) => {
      expect(await gmail.parse(resource({ labelIds }, headers))).toMatchObject({ is_bot: own });
    },
  );

  it.each([
    [[['Auto-Submitted', 'auto-replied']], true, false],
    [[['Auto-Submitted', 'no']], false, false],
    [[['Precedence', 'bulk']], true, false],
    [[['List-Id', '<l.example>']], true, false],
    [[['Content-Type', 'multipart/report; report-type=delivery-status; boundary=x']], true, true],
    [[['Return-Path', '<>']], true, true],
    [[['X-Failed-Recipients', 'joe@example.org']], true, true],
  ] as [[string, string][], boolean, boolean][])(
    'with %j: automatic %s, bounce %s',
    async (headers, auto_submitted, bounce) => {
      expect((await gmail.parse(resource({}, headers))).metadata).toMatchObject({ auto_submitted, bounce });
    },
  );

  it('reads the raw format, HTML without text, other charsets and the reply address', async () => {
    const raw = [
      'From: =?utf-8?q?J=C3=A9?= <j@example.org>',
      'Reply-To: <help@example.org>',
      'Subject: =?utf-8?q?=C3=A9?=',
      'Content-Type: text/html; charset=iso-8859-1',
      '',
      '<style>x</style><p>caf\xe9</p><p>two &amp; three</p>',
    ].join('\r\n');
    const message = await gmail.parse({
      id: '1',
      threadId: '2',
      labelIds: ['INBOX'],
      raw: Buffer.from(raw, 'latin1').toString('base64url'),
    });
    expect(message).toMatchObject({
      message: 'café\n\ntwo & three',
      metadata: { subject: 'é', channel_address: 'help@example.org', sender: { name: 'Jé' } },
    });
    const latin = {
      mimeType: 'text/plain',
      filename: '',
      headers: [{ name: 'Content-Type', value: 'text/plain; charset=iso-8859-1' }],
      body: { data: Buffer.from('caf\xe9', 'latin1').toString('base64url') },
    };
    expect((await gmail.parse(resource({ payload: latin }))).message).toBe('café');
  });

  it('is ignored as a draft, and everything else is ignored as unknown', async () => {
    expect(await gmail.parse(resource({ labelIds: ['DRAFT'] }))).toMatchObject({ event_type: 'ignored' });
    for (const document of [{}, [], 'text', null, { message: { data: 'AA==' } }, { emailAddress: 1 }]) {
      expect(await gmail.parse(document)).toMatchObject({ event_type: 'ignored' });
    }
  });

  it('may be a tree of parts a hundred thousand deep', async () => {
    const body = `{"id":"1","threadId":"2","payload":${'{"parts":['.repeat(100_000)}${']}'.repeat(100_000)}}`;
    const message = await gmail.call('parse-inbound', { credentials: {}, request: { body } });
    expect(message).toMatchObject({ event_type: 'email_received' });
  });
});

describe('a push', () => {
  it('without a token only names the mailbox, wrapped or not', async () => {
    const expected = {
      event_type: 'mailbox_changed',
      sender: MAILBOX,
      is_bot: false,
      dedup_key: `gmail:history:${MAILBOX}:9`,
    };
    expect(await gmail.parse(pushOf('9'))).toMatchObject(expected);
    expect(await gmail.parse({ emailAddress: MAILBOX, historyId: 9 })).toMatchObject(expected);
  });

  it('is parsed again later when Gmail is unavailable, and says so when the token is refused', async () => {
    gmail.front.intercept((_request, response) => response.writeHead(503, { 'retry-after': '7' }).end('{}'));
    await gmail.post('parse-inbound', { request: { body: JSON.stringify(pushOf('9')) } }, 503);
    gmail.front.intercept((_request, response) => response.writeHead(401).end('{}'));
    expect(await gmail.parse(pushOf('9'), { credentials: CREDENTIALS })).toMatchObject({
      event_type: 'mailbox_changed',
      metadata: { messages_unavailable: 'auth_failed' },
    });
  });
});
