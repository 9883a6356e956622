import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createAdapterServer, type JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createSmtpAdapter } from './smtp.adapter.js';
import { HASTY_MS, PATIENT_MS } from '../testing/patience.js';

const PASSWORD = 'canary-71bb02-password';
const USER = 'agent@example.com';

interface Taken {
  email: Email;
  raw: string;
  to: string[];
}

const egress = createEgress({ allow: ['127.0.0.1'] });
const serve = (timeoutMs: number, ca?: string) =>
  createAdapterServer([createSmtpAdapter({ connect: egress.connect, timeoutMs, maxLength: 1_000, ca })], {
    version: 'test',
    logger: pino({ level: 'silent' }),
  });
const app = serve(PATIENT_MS, TEST_CERTIFICATE);
const closing: (() => Promise<unknown>)[] = [];
let taken: Taken[];
let refuseData: ((raw: string) => Error | undefined) | undefined;
let port: number;

/** A reply as an SMTP server sends it. */
const reply = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

async function smtpServer(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({
    key: TEST_KEY,
    cert: TEST_CERTIFICATE,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === PASSWORD
        ? done(null, { user: username })
        : done(reply(535, '5.7.8 Authentication credentials invalid')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const refusal = refuseData?.(raw);
        if (refusal) return done(refusal);
        const to = session.envelope.rcptTo.map(({ address }) => address);
        void PostalMime.parse(raw).then((email) => {
          taken.push({ email, raw, to });
          done();
        });
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  closing.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

async function tcpServer(onConnection: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await smtpServer({});
});
beforeEach(() => {
  taken = [];
  refuseData = undefined;
});
afterAll(async () => {
  await egress.close();
  await Promise.all(closing.map((close) => close()));
});

const account = (changes: JsonObject = {}): JsonObject => ({
  host: '127.0.0.1',
  port: String(port),
  username: USER,
  password: PASSWORD,
  encryption: 'starttls',
  ...changes,
});

async function call(route: string, payload: JsonObject, server = app) {
  const answer = await server.inject({ method: 'POST', url: `/smtp/${route}`, payload });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain(PASSWORD);
  return answer.json<JsonObject & { message_id?: string; error_detail?: JsonObject }>();
}
const delivery = (message: JsonObject = {}, changes: JsonObject = {}): JsonObject => ({
  credentials: account(),
  channel_address: 'jane@example.org',
  message: { text: 'hello', ...message },
  idempotency_key: 'key-1',
  ...changes,
});
const deliver = (message: JsonObject = {}, changes: JsonObject = {}) => call('deliver', delivery(message, changes));
const verify = (changes: JsonObject = {}) => call('verify', { credentials: account(changes) });

describe('verifying an account', () => {
  it('logs in over STARTTLS, and over TLS from the start', async () => {
    expect(await verify()).toMatchObject({ ok: true, user: USER });
    const secure = await smtpServer({ secure: true });
    expect(await verify({ port: secure, encryption: 'tls' })).toMatchObject({ ok: true, user: USER });
    expect(await call('verify', { credentials: { smtp_config: account() } })).toMatchObject({ ok: true });
  });

  it('distinguishes a refused password from a server that is unavailable or silent', async () => {
    expect(await verify({ password: 'wrong-password' })).toMatchObject({ ok: false, error: 'auth_failed' });
    const closed = await tcpServer(() => undefined);
    await closing.pop()?.();
    expect(await verify({ port: closed })).toMatchObject({ ok: false, error: 'provider_unavailable' });
    const silent = await tcpServer(() => undefined);
    const unanswered = { credentials: account({ port: silent }) };
    expect(await call('verify', unanswered, serve(HASTY_MS, TEST_CERTIFICATE))).toMatchObject({
      ok: false,
      error: 'provider_unavailable',
    });
    const plain = await smtpServer({ disabledCommands: ['STARTTLS'] });
    expect(await verify({ port: plain })).toMatchObject({ ok: false, error: 'auth_failed' });
    const open = await smtpServer({ disabledCommands: ['AUTH'] });
    expect(await verify({ port: open })).toMatchObject({ ok: false, error: 'auth_failed' });
    const rude = await tcpServer((socket) => socket.end());
    expect(await verify({ port: rude })).toMatchObject({ ok: false, error: 'provider_unavailable' });
  });

  it('refuses a record that cannot be used, internal addresses, and a password in plain text', async () => {
    for (const changes of [{ host: '' }, { port: '0' }, { port: 'x' }, { encryption: 'ssl3' }, { username: '' }]) {
      expect(await verify(changes)).toMatchObject({ ok: false, error: 'auth_failed' });
    }
    for (const host of ['10.0.0.1', '169.254.169.254', 'user@127.0.0.1', '127.0.0.1/x', '[::1]']) {
      expect(await verify({ host })).toMatchObject({ ok: false, error: 'auth_failed' });
    }
    expect(await verify({ encryption: 'none' })).toMatchObject({
      ok: false,
      error: 'auth_failed',
      message: expect.stringContaining('without encryption'),
    });
  });

  it('refuses a server with an untrusted certificate, before the password is sent', async () => {
    const answer = await serve(PATIENT_MS).inject({
      method: 'POST',
      url: '/smtp/verify',
      payload: { credentials: account() },
    });
    expect(answer.json()).toMatchObject({
      ok: false,
      error: 'auth_failed',
      message: expect.stringContaining('certificate'),
    });
  });
});

describe('delivering', () => {
  it('sends Markdown as text and HTML, marked as automatic', async () => {
    const result = await deliver({ text: 'Hello **Jané**,\n\n- <b>one</b> <key>\n', subject: 'Grüße 🎉' });
    expect(result).toMatchObject({ ok: true, channel_address: 'jane@example.org' });
    const [{ email, raw, to }] = taken as [Taken];
    expect(to).toEqual(['jane@example.org']);
    expect(email).toMatchObject({ subject: 'Grüße 🎉', messageId: result.message_id, from: { address: USER } });
    expect(email.text).toContain('Hello Jané,');
    expect(email.html).toContain('<strong>Jané</strong>');
    expect(email.html).toContain('<strong>one</strong> &lt;key&gt;');
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toMatch(/^X-Gatehouse-Delivery: key-1\r$/m);
    expect(raw).not.toContain(PASSWORD);
  });

  it('gives a mail the same id in every attempt, and another mail a different one', async () => {
    const first = await deliver();
    expect((await deliver()).message_id).toBe(first.message_id);
    expect((await deliver({}, { idempotency_key: 'key-2' })).message_id).not.toBe(first.message_id);
    expect(first.message_id).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  });

  it('answers in the thread of the mail that it replies to', async () => {
    const reply_context = { message_id: '<b@x>', references: ['<a@x>'], subject: 'Plans' };
    expect(await deliver({ reply_context, format: 'plain' })).toMatchObject({ ok: true, thread_id: '<a@x>' });
    const [{ email, raw }] = taken as [Taken];
    expect(email).toMatchObject({ inReplyTo: '<b@x>', references: '<a@x> <b@x>', subject: 'Re: Plans' });
    expect(email.html).toBeUndefined();
    expect(raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
  });

  it('sends a text of ten times the limit whole and in order, and each part once when one fails', async () => {
    const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`);
    const text = words.join(' ').slice(0, 10_000);
    let failing = true;
    refuseData = (raw) =>
      failing && /^X-Gatehouse-Delivery: key-1-3\/\d+\r$/m.test(raw) ? reply(451, '4.3.0 later') : undefined;
    expect(await deliver({ text })).toMatchObject({
      ok: false,
      error: 'provider_unavailable',
      delivered_parts: 2,
      error_detail: { retryable: true, provider_status: 451, provider_code: '4.3.0' },
    });
    failing = false;
    expect(await deliver({ text }, { from_part: 2 })).toMatchObject({ ok: true });
    expect(taken.length).toBeGreaterThanOrEqual(10);
    expect(
      taken
        .map(({ email }) => email.text?.trim())
        .join(' ')
        .split(/\s+/),
    ).toEqual(text.split(' '));
    expect(new Set(taken.map(({ email }) => email.messageId)).size).toBe(taken.length);
    const [{ email: first }] = taken as [Taken];
    expect(taken.slice(1).every(({ email }) => email.inReplyTo === first.messageId)).toBe(true);
  });

  it.each([
    ['address', {}, { channel_address: 'jane@example.org\r\nBcc: eve@example.org' }],
    ['list of addresses', {}, { channel_address: 'jane@example.org, eve@example.org' }],
    ['address with a name', {}, { channel_address: 'Jane <jane@example.org>' }],
    ['subject', { subject: 'Hi\r\nBcc: eve@example.org' }, {}],
    ['key', {}, { idempotency_key: 'k\r\nBcc: eve@example.org' }],
    ['text', { text: ' ' }, {}],
    ['part', {}, { from_part: 2 }],
  ])('refuses a malformed %s without sending', async (_what, message, changes) => {
    expect(await deliver(message, changes)).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(taken).toHaveLength(0);
  });

  it('lets no thread or context add a header', async () => {
    const injected = '<a@x>\r\nBcc: eve@example.org';
    await deliver({
      thread_id: injected,
      reply_context: { message_id: injected, references: [injected], subject: 'x\r\nBcc: eve@example.org' },
    });
    expect((taken as [Taken])[0].raw).not.toMatch(/^Bcc:/im);
  });

  it('sends files with the first mail of a long text, whatever their names contain', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 46, 13, 10]);
    const file = { name: 'a"\r\nBcc: eve@example.org\r\n/\u{1f600}.bin', content_base64: bytes.toString('base64') };
    expect(await deliver({ text: 'long text '.repeat(150), attachments: [file] })).toMatchObject({ ok: true });
    const mails = taken.map(({ email }) => email.attachments);
    expect(mails.map(({ length }) => length)).toEqual([1, 0]);
    expect(Buffer.from(mails[0]?.[0]?.content as ArrayBuffer)).toEqual(bytes);
    expect(mails[0]?.[0]).toMatchObject({
      mimeType: 'application/octet-stream',
      filename: expect.stringMatching(/\.bin$/),
    });
    for (const { raw } of taken) expect(raw).not.toMatch(/^Bcc:/im);
  });

  it('refuses files without bytes and native text rather than leaving them out', async () => {
    expect(await deliver({ attachments: [{ id: '1' }] })).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(taken).toEqual([]);
    expect(await deliver({ format: 'native' })).toMatchObject({ ok: false, error: 'unsupported' });
  });

  it.each([
    [550, '5.1.1 no such user', 'not_found', false],
    [550, '5.7.1 relaying denied', 'permission_denied', false],
    [551, '5.1.6 user has moved', 'address_moved', false],
    [552, '5.3.4 message too big', 'too_large', false],
    [452, '4.5.3 too many recipients', 'rate_limited', true],
    [450, '4.2.0 greylisted', 'provider_unavailable', true],
    [421, '4.7.0 slow down', 'rate_limited', true],
    [554, 'transaction failed', 'invalid_request', false],
  ])('maps %i %s to %s', async (code, text, error, retryable) => {
    refuseData = () => reply(code, text);
    expect(await deliver()).toMatchObject({ ok: false, error, error_detail: { retryable, provider_status: code } });
  });

  it.each([
    [452, '4.2.2 over quota', 'provider_unavailable', /mailbox is full/, undefined],
    [552, '5.2.2 over quota', 'permission_denied', /mailbox is full/, undefined],
    [550, '5.4.5 Daily user sending limit exceeded', 'rate_limited', /sending limit/, 3_600],
    [450, '4.2.0 <jane@example.org>: Greylisted', 'provider_unavailable', /greylisting/, 300],
    [451, '4.7.1 Greylisting in action, come back in 00:04:30', 'rate_limited', /greylisting/, 270],
    [421, '4.7.28 too fast, retry in 90 seconds', 'rate_limited', /4\.7\.28/, 90],
    [550, '5.7.1 wait 90 seconds', 'permission_denied', /5\.7\.1/, undefined],
  ])('says of %i %s what it is and how long to wait', async (code, text, error, message, wait) => {
    refuseData = () => reply(code, text);
    const { error_detail: detail, ...answer } = await deliver();
    expect(answer).toMatchObject({ ok: false, error });
    expect(detail?.message).toMatch(message);
    expect(detail?.retry_after).toBe(wait);
    expect(JSON.stringify(detail)).not.toContain('jane@');
  });

  it('reports a mail that was handed over without an answer as one that may have arrived', async () => {
    const mute = await smtpServer({ onData: (stream) => stream.resume() });
    const unanswered = delivery({}, { credentials: account({ port: mute }) });
    expect(await call('deliver', unanswered, serve(HASTY_MS, TEST_CERTIFICATE))).toMatchObject({
      ok: false,
      error: 'timeout',
      error_detail: { retryable: false },
    });
  });
});
