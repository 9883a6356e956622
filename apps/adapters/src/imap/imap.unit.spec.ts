import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer as readAll } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { PATIENT_MS } from '../testing/patience.js';
import { readAccount, smtpCredentials } from './imap-account.js';
import { createImapAdapter } from './imap.adapter.js';
import { readCursor, writeCursor } from './mail-cursor.js';
import { openFakeImap } from './testing/fake-imap.js';

const user = 'agent@example.com';
const token = 'canary-0f77-token';
const smtpPassword = 'canary-31ab-password';
const egress = createEgress({ allow: ['127.0.0.1'] });
let imap: Awaited<ReturnType<typeof openFakeImap>>;
let smtp: SMTPServer;
let smtpPort: number;
let sent: Email[];
let logins: string[];
let adapter: AdapterHost;

beforeAll(async () => {
  imap = await openFakeImap({ [token]: user });
  smtp = new SMTPServer({
    key: TEST_KEY,
    cert: TEST_CERTIFICATE,
    disableReverseLookup: true,
    authMethods: ['XOAUTH2', 'PLAIN'],
    onAuth: ({ username, password, accessToken, method }, _session, done) => {
      logins.push(method);
      const known = accessToken === token || password === smtpPassword;
      return known ? done(null, { user: username }) : done(Object.assign(new Error('no'), { responseCode: 535 }));
    },
    onData: (stream, _session, done) => {
      void readAll(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then((mail) => {
          sent.push(mail);
          done();
        });
    },
  });
  smtp.on('error', () => undefined);
  await once(smtp.listen(0, '127.0.0.1'), 'listening');
  smtpPort = (smtp.server.address() as AddressInfo).port;
  const settings = { connect: egress.connect, timeoutMs: PATIENT_MS, ca: TEST_CERTIFICATE };
  adapter = await hostAdapter(() => createImapAdapter(settings));
});
beforeEach(() => {
  [sent, logins] = [[], []];
});
afterAll(async () => {
  await adapter.close();
  await egress.close();
  await imap.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

const account = (more: JsonObject = {}): JsonObject => ({
  host: '127.0.0.1',
  port: imap.port,
  encryption: 'tls',
  username: user,
  access_token: token,
  smtp_host: '127.0.0.1',
  smtp_port: smtpPort,
  smtp_encryption: 'starttls',
  ...more,
});
const verify = (more: JsonObject = {}) => adapter.call('verify', { credentials: account(more) });

describe('a mailbox with an account of OAuth', () => {
  it('is logged in to by XOAUTH2, and so is its SMTP server', async () => {
    expect(await verify()).toEqual({ ok: true, user, account: { id: user, email: user, account: user } });
    expect(logins).toEqual(['XOAUTH2']);
    expect(await adapter.call('poll', { credentials: account(), wait_seconds: 0 })).toMatchObject({ ok: true });
  });

  it('whose token is refused by one of the two names that one', async () => {
    expect(await verify({ access_token: 'expired' })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^login: /),
    });
    expect(logins).toEqual([]);
  });
});

describe('SMTP', () => {
  it('has a login of its own where one is given', async () => {
    const own = { access_token: '', password: token, smtp_username: 'relay', smtp_password: smtpPassword };
    expect(await verify({ ...own, from: user })).toMatchObject({ ok: true, user });
    expect(logins).toEqual(['PLAIN']);
  });

  it.each([
    ['a refused login', { access_token: '', password: token }, 'auth_failed', /^SMTP: .*535/],
    ['a host that is down', { smtp_port: 1 }, 'provider_unavailable', /^SMTP: .*cannot be reached/],
    ['a sender that is no address', { from: 'agent' }, 'auth_failed', /^SMTP: from must be/],
  ])('is named as the part that is wrong: %s', async (_what, more, error, message) => {
    expect(await verify(more)).toEqual({ ok: false, error, message: expect.stringMatching(message) });
  });

  it('takes a reply in the thread of the mail that it answers', async () => {
    const answer = await adapter.call('deliver', {
      credentials: account(),
      channel_address: 'jane@example.org',
      message: {
        text: 'Since noon.',
        thread_id: '<root@x>',
        reply_context: { message_id: '<m2@x>', references: ['<root@x>'], subject: 'Build' },
      },
      idempotency_key: 'dlv_1',
    });
    expect(answer).toMatchObject({ ok: true, thread_id: '<root@x>' });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      from: { address: user },
      subject: 'Re: Build',
      inReplyTo: '<m2@x>',
      references: '<root@x> <m2@x>',
    });
  });

  it('without a host sends nothing, and says so', async () => {
    const message = { text: 'x' };
    const credentials = account({ smtp_host: '' });
    expect(await adapter.call('deliver', { credentials, channel_address: 'jane@example.org', message })).toMatchObject({
      ok: false,
      error: 'auth_failed',
      error_detail: { message: expect.stringContaining('smtp_host') },
    });
  });
});

describe('the account of a record', () => {
  it('has the ports of its encryption, and never none', () => {
    const read = (more: JsonObject) => readAccount({ host: 'h', username: 'u', password: 'p', ...more });
    expect(read({})).toMatchObject({ port: 993, encryption: 'tls', folder: 'INBOX' });
    expect(read({ encryption: 'starttls' })).toMatchObject({ port: 143, encryption: 'starttls' });
    expect(read({ port: '143' })).toMatchObject({ port: 143, encryption: 'starttls' });
    expect(read({ encryption: 'none' })).toEqual({ problem: expect.stringContaining('encryption') });
    expect(read({ port: '0' })).toEqual({ problem: expect.stringContaining('port') });
    expect(read({ folder: 'a\r\nb LOGOUT' })).toEqual({ problem: expect.stringContaining('folder') });
    expect(smtpCredentials({ username: 'u', password: 'p' })).toBeUndefined();
  });
});

describe('a cursor', () => {
  it('comes back as it was written, and nothing else is one', async () => {
    const cursor = { key: '0123456789ab', uidValidity: '1795842187', next: 7, asked: 1_795_842_187 };
    expect(readCursor(writeCursor(cursor))).toEqual(cursor);
    for (const text of ['', '7', '0123456789ab:1:2', '0123456789ab:1:-2:3']) expect(readCursor(text)).toBeUndefined();
    const answer = await adapter.call('poll', { credentials: account(), cursor: '7', wait_seconds: 0 });
    expect(answer).toMatchObject({ ok: false, error: 'invalid_request' });
  });
});
