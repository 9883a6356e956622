import { pino } from 'pino';
import { createAdapterServer, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { createSendgridAdapter } from './sendgrid.adapter.js';
import { inboundRequest, parsedFields, type FormPart } from './testing/inbound-form.js';

const app = createAdapterServer(
  [createSendgridAdapter({ fetch: () => Promise.reject(new Error('parsing makes no call')), timeoutMs: 1 })],
  { version: 'test', logger: pino({ level: 'silent' }) },
);
async function parse(request: JsonObject) {
  const answer = await app.inject({
    method: 'POST',
    url: '/sendgrid/parse-inbound',
    payload: {
      credentials: { from_email: 'Agent@example.com' },
      request,
      received_at: '2026-11-21T02:48:13.000Z',
    },
  });
  expect(answer.statusCode).toBe(200);
  return answer.json<NormalizedMessage>();
}
const mail = (parts: FormPart[]) => parse(inboundRequest(parts));
const events = (body: unknown) =>
  parse({
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const HEADERS = [
  'Received: by mx0',
  'From: Jane <jane@example.org>',
  'To: agent@inbound.example.com',
  'Message-ID: <m1@x>',
];

describe('a mail that SendGrid parsed', () => {
  it('becomes an email with its thread and what was found out about its sender', async () => {
    expect(await mail(parsedFields([...HEADERS, 'References: <root@x> <m0@x>', 'In-Reply-To: <m0@x>']))).toEqual({
      event_type: 'email_received',
      sender: 'jane@example.org',
      message: 'Is the build green?',
      is_bot: false,
      dedup_key: 'sendgrid:<m1@x>',
      thread_id: '<root@x>',
      metadata: {
        account: 'agent@inbound.example.com',
        subject: 'Build',
        to: 'agent@inbound.example.com',
        sender: { id: 'jane@example.org', email: 'jane@example.org', name: 'Jane' },
        channel_address: 'jane@example.org',
        reply_context: { message_id: '<m1@x>', references: ['<root@x>', '<m0@x>'], subject: 'Build' },
        auto_submitted: false,
        bounce: false,
        mailing_list: false,
        notification: false,
        spf: 'pass',
        dkim: '{@example.org : pass}',
        spam_score: 0.1,
        sender_ip: '203.0.113.7',
        envelope_to: ['Agent@inbound.example.com'],
        envelope_from: 'jane@example.org',
        is_self: false,
        timestamp: '2026-11-21T02:48:13.000Z',
        raw_type: 'sendgrid.inbound',
        message_id: '<m1@x>',
      },
    });
  });

  it('is read in the charset of each field', async () => {
    const fields = parsedFields(HEADERS, { charsets: '{"text":"iso-8859-1","subject":"windows-1252"}' }).map((part) =>
      part.name === 'text'
        ? { ...part, value: Buffer.from('caf\xe9', 'latin1') }
        : part.name === 'subject'
          ? { ...part, value: Buffer.from([0x93, 0x41, 0x94]) }
          : part,
    );
    expect(await mail(fields)).toMatchObject({ message: 'café', metadata: { subject: '“A”' } });
    const unknown = parsedFields(HEADERS, { charsets: '{"text":"x-unknown"}', text: 'grün' });
    expect(await mail(unknown)).toMatchObject({ message: 'grün' });
  });

  it('names the attachments, without their bytes', async () => {
    const attachment = { name: 'attachment1', value: 'x;y', fileName: 'a.csv', type: 'text/csv' };
    const message = await mail([...parsedFields(HEADERS, { attachments: '1' }), attachment]);
    expect(message.metadata?.attachments).toEqual([
      { id: 'attachment1', name: 'a.csv', content_type: 'text/csv', size: 3 },
    ]);
    expect(JSON.stringify(message)).not.toContain('x;y');
  });

  it('keeps its key when it is posted again, and another mail gets another one', async () => {
    const first = await mail(parsedFields(HEADERS));
    expect((await mail(parsedFields(HEADERS, { sender_ip: '203.0.113.8' }))).dedup_key).toBe(first.dedup_key);
    const without = HEADERS.filter((header) => !header.startsWith('Message-ID'));
    const [a, repeated, b] = await Promise.all(['a', 'a', 'b'].map((text) => mail(parsedFields(without, { text }))));
    expect(a?.dedup_key).toBe(repeated?.dedup_key);
    expect(a?.dedup_key).not.toBe(b?.dedup_key);
  });

  it.each([
    [[], {}, { is_bot: false }],
    [['X-Gatehouse-Delivery: k'], {}, { is_bot: true }],
    // The App's own address, without the App's marks: a person may share it.
    [['From: Agent <agent@example.com>'], {}, { is_bot: false, metadata: { is_self: true } }],
  ])('with %j is %j', async (headers, changes, expected) => {
    const from = headers.some((header) => header.startsWith('From'))
      ? HEADERS.filter((h) => !h.startsWith('From'))
      : HEADERS;
    expect(await mail(parsedFields([...from, ...headers], changes))).toMatchObject(expected);
  });

  it('is a bounce when its return path is empty', async () => {
    const message = await mail(parsedFields(HEADERS, { envelope: '{"to":["a@b.c"],"from":""}' }));
    expect(message.metadata).toMatchObject({ bounce: true, auto_submitted: true });
  });
});

describe('a raw mail', () => {
  const raw = [
    ...HEADERS,
    'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>one</p><p>two</p>',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Disposition: attachment; filename=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'QUJD',
    '--b--',
    '',
  ].join('\r\n');

  it('is read like a parsed one', async () => {
    const fields = parsedFields([]).filter(({ name }) => !['headers', 'text', 'html', 'subject'].includes(name));
    expect(await mail([...fields, { name: 'email', value: raw }])).toMatchObject({
      sender: 'jane@example.org',
      message: 'one\n\ntwo',
      dedup_key: 'sendgrid:<m1@x>',
      metadata: {
        subject: 'Grüße',
        spf: 'pass',
        attachments: [{ name: 'a.pdf', content_type: 'application/pdf', size: 3 }],
      },
    });
  });
});

describe('a request that is not a mail', () => {
  it.each([
    ['no headers', inboundRequest([{ name: 'text', value: 'x' }])],
    ['no boundary', { headers: { 'content-type': 'multipart/form-data' }, body: 'x' }],
    [
      'a body that breaks off',
      { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b\r\nContent-Dis' },
    ],
    ['an empty body', { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '' }],
  ])('is ignored with %s', async (_what, request) => {
    expect(await parse(request)).toMatchObject({ event_type: 'ignored' });
  });
});

describe('events', () => {
  const event = (changes: JsonObject = {}) => ({
    email: 'Jane@example.org',
    timestamp: 1_795_228_637,
    'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
    event: 'delivered',
    sg_event_id: 'hqFbp3HH9WxIM0R2-x2M1Q==',
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
    response: '250 OK',
    gatehouse_delivery: 'key-1',
    ...changes,
  });

  it('each become a delivery status that names the delivery and cannot be answered', async () => {
    const batch = await events([
      event(),
      event({ event: 'bounce', sg_event_id: 'b', reason: '550 no such user', type: 'bounce' }),
    ]);
    expect(batch.event_type).toBe('batch');
    const [delivered, bounced] = batch.metadata?.messages ?? [];
    expect(delivered).toEqual({
      event_type: 'delivery_status',
      sender: 'jane@example.org',
      message: 'delivered: Jane@example.org: 250 OK',
      is_bot: false,
      dedup_key: 'sendgrid:event:hqFbp3HH9WxIM0R2-x2M1Q==',
      metadata: {
        status: 'delivered',
        auto_submitted: true,
        bounce: false,
        notification: true,
        channel_address: null,
        raw_type: 'sendgrid.delivered',
        message_id: '14c5d75ce93',
        delivery_key: 'key-1',
        reason: '250 OK',
        timestamp: '2026-11-21T02:37:17.000Z',
      },
    });
    expect(bounced).toMatchObject({
      metadata: { status: 'bounce', bounce: true, bounce_type: 'bounce', reason: '550 no such user' },
    });
  });

  it('are ignored one by one where they are unknown, and as a whole where the body has none', async () => {
    const batch = await events([event(), event({ event: 'teleported' }), { event: 'open' }]);
    expect(batch.metadata?.messages?.map(({ event_type }) => event_type)).toEqual([
      'delivery_status',
      'ignored',
      'ignored',
    ]);
    for (const body of ['', 'null', '[]', '{}', '[1,null]', 'not json', '['.repeat(5_000)]) {
      expect(await events(body)).toMatchObject({ event_type: 'ignored' });
    }
  });
});
