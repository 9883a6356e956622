import { type Dovecot, findDovecot, startDovecot, TEST_CERTIFICATE, TEST_KEY, until } from '#libs/testing';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { startSystem, type System } from './system.js';

const user = 'ada@example.org';
const password = 'the-password-of-ada';
/** Short enough that what a killed process held is taken over soon. */
const soon = {
  RECEIPT_LEASE_MS: '2000',
  SWEEP_EVERY_MS: '1000',
  SWEEP_AFTER_MS: '2000',
  CONNECTION_LEASE_MS: '3000',
  CONNECTION_SWEEP_MS: '200',
  CONNECTION_WAIT_S: '2',
  MODEL_TRIAL_MS: '500',
};
const perSecond = 5;

const found = findDovecot();
if ('reason' in found) process.stderr.write(`no real IMAP server, these are skipped: ${found.reason}\n`);
const suite = 'reason' in found ? describe.skip : describe;

suite('a mailbox of Dovecot, while services are killed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'imap-kill-'));
  let dovecot: Dovecot;
  let smtp: SMTPServer;
  let model: FakeModel;
  let system: System;
  let app: string;
  let replies: Email[];

  beforeAll(async () => {
    if ('reason' in found) return;
    replies = [];
    smtp = new SMTPServer({
      key: TEST_KEY,
      cert: TEST_CERTIFICATE,
      disableReverseLookup: true,
      onAuth: (login, _session, done) =>
        login.username === user && login.password === password ? done(null, { user }) : done(new Error('no')),
      onData: (stream, _session, done) => {
        void readAll(stream)
          .then((bytes) => PostalMime.parse(bytes))
          .then((mail) => {
            replies.push(mail);
            done();
          });
      },
    });
    smtp.on('error', () => undefined);
    await once(smtp.listen(0, '127.0.0.1'), 'listening');
    const ca = join(dir, 'ca.pem');
    writeFileSync(ca, TEST_CERTIFICATE);
    [dovecot, model] = await Promise.all([startDovecot(found, { [user]: password }), fakeModel()]);
    const settings = { ...soon, NODE_EXTRA_CA_CERTS: ca, MODEL_BASE_URL: model.url, MODEL_NAME: 'fake' };
    system = await startSystem(settings, { linked: false });
    const credential = await system.credential({
      host: '127.0.0.1',
      port: String(dovecot.ports.tls),
      encryption: 'tls',
      username: user,
      password,
      smtp_host: '127.0.0.1',
      smtp_port: String((smtp.server.address() as AddressInfo).port),
    });
    const installed = { credential_id: credential };
    app = (await system.api<{ id: string }>('POST', '/api/v1/listings/imap/install', installed)).id;
    await system.api('PUT', `/api/v1/channels/${app}`, { unknown_senders: 'open' });
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([dovecot?.stop(), model?.close(), smtp && new Promise<void>((end) => smtp.close(end))]);
    rmSync(dir, { recursive: true, force: true });
  });

  /** Each of a sender of its own: so many of one sender, answered at once, would be taken for a loop. */
  const arrive = (name: string): void =>
    dovecot.deliver(
      user,
      `From: Jane <${name}@example.org>\nTo: ${user}\nSubject: ${name}\nMessage-ID: <${name}@example.org>\n\nWhat of ${name}?\n`,
    );
  const answeredBy = (name: string): string[] =>
    replies.filter(({ inReplyTo }) => inReplyTo === `<${name}@example.org>`).map(({ text = '' }) => text.trim());

  it('is verified, host, login, folder and SMTP', async () => {
    expect(await system.api('POST', `/api/v1/apps/${app}/verify`)).toMatchObject({ ok: true, user });
  });

  it('has each mail answered once by SMTP, in its thread', async () => {
    await system.api('PUT', `/api/v1/apps/${app}/connection`);
    await until('it is connected', async () => {
      const { state } = await system.api<{ state: string }>('GET', `/api/v1/apps/${app}/connection`);
      return state === 'connected';
    });
    // While mails are read, no reply is in flight: the answer of a delivery that is cut off stays unknown, by design.
    model.always((response) => response.writeHead(503).end('{}'));
    const killAll = async (): Promise<void> => {
      for (const service of ['adapter-gateway', 'adapters', 'webhook-ingress', 'adapter-gateway']) {
        await system.kill(service);
        await system.restart(service);
      }
    };
    let killing = true;
    const killed = killAll().finally(() => (killing = false));
    const written: string[] = [];
    while (killing) {
      const name = `mail-${written.length}`;
      written.push(name);
      arrive(name);
      await pause(1_000 / perSecond);
    }
    await killed;
    await until('all are there', async () => (await system.outcomesOf(app)).size >= written.length);
    model.answering(({ messages }) => {
      const [name] = JSON.stringify(messages.findLast(({ role }) => role === 'user')).match(/mail-\d+/) ?? [];
      return `All of ${name}.`;
    });
    model.always(null);
    await until('each is answered', () => written.every((name) => answeredBy(name).length > 0));
    await until('all have ended', async () =>
      [...(await system.outcomesOf(app)).values()].every((outcome) => outcome !== null),
    );
    expect(written.map(answeredBy)).toEqual(written.map((name) => [`All of ${name}.`]));
    expect(replies).toHaveLength(written.length);
    expect(dovecot.seen(user)).toBe(0);
    const held = await system.api<{ gap: object | null; reconnects: number }>('GET', `/api/v1/apps/${app}/connection`);
    expect(held.gap).toBe(null);
    process.stderr.write(`${written.length} mails, ${held.reconnects} reconnects: 0 lost, 0 doubled\n`);
  });

  it('has a reply that was cut off with the gateway arrived once at most, and else it waits for a person', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `mail-1000${index}`);
    const before = replies.length;
    names.forEach(arrive);
    await until('the first are answered', () => replies.length >= before + 3);
    await system.kill('adapter-gateway');
    await system.restart('adapter-gateway');
    const unknown = async (): Promise<number> =>
      (await system.api<{ data: object[] }>('GET', `/api/v1/deliveries?state=unknown&app_id=${app}`)).data.length;
    const answered = (): string[] => names.filter((name) => answeredBy(name).length > 0);
    await until('each is answered or in doubt', async () => answered().length + (await unknown()) >= names.length);
    await until('nothing is in flight', async () => {
      const open = ['queued', 'sending'].map((state) =>
        system.api<{ data: object[] }>('GET', `/api/v1/deliveries?state=${state}&app_id=${app}`),
      );
      return (await Promise.all(open)).every(({ data }) => data.length === 0);
    });
    expect(answered().map(answeredBy)).toEqual(answered().map((name) => [`All of ${name}.`]));
    process.stderr.write(`${answered().length} of ${names.length} answered once, ${await unknown()} in doubt\n`);
  });
});
