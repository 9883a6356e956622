import { type Dovecot, findDovecot, startDovecot, TEST_CERTIFICATE, until } from '#libs/testing';
import type { JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS, PATIENT_MS } from '../testing/patience.js';
import { createImapAdapter } from './imap.adapter.js';

const user = 'ada@example.org';
const password = 'canary-55d1-password';
const maxMailBytes = 2_000;

const found = findDovecot();
if ('reason' in found) process.stderr.write(`no real IMAP server, these are skipped: ${found.reason}\n`);
const suite = 'reason' in found ? describe.skip : describe;

suite('a mailbox of Dovecot', () => {
  const egress = createEgress({ allow: ['127.0.0.1', 'localhost'] });
  let dovecot: Dovecot;
  let adapter: AdapterHost;
  let hasty: AdapterHost;
  let strange: AdapterHost;

  beforeAll(async () => {
    if ('reason' in found) return;
    dovecot = await startDovecot(found, { [user]: password, 'bob@example.org': 'another' });
    const host = (timeoutMs: number, ca?: string) =>
      hostAdapter(() =>
        createImapAdapter({ connect: egress.connect, timeoutMs, ca, maxMailBytes, maxFileBytes: 9_000 }),
      );
    adapter = await host(PATIENT_MS, TEST_CERTIFICATE);
    hasty = await host(HASTY_MS, TEST_CERTIFICATE);
    strange = await host(PATIENT_MS);
  });
  afterAll(async () => {
    for (const host of [adapter, hasty, strange]) await host?.close();
    await egress.close();
    await dovecot?.stop();
  });

  const account = (more: JsonObject = {}): JsonObject => ({
    host: '127.0.0.1',
    port: dovecot.ports.tls,
    encryption: 'tls',
    username: user,
    password,
    ...more,
  });
  const mail = (id: string, text = id, more = ''): string =>
    `From: Jane <jane@example.org>\nTo: ${user}\nSubject: ${id}\nMessage-ID: <${id}@example.org>\n${more}\n${text}\n`;
  const poll = async (cursor: unknown, wait_seconds = 0, credentials = account()) => {
    const answer = await adapter.call('poll', {
      credentials,
      ...(typeof cursor === 'string' && { cursor }),
      wait_seconds,
    });
    return answer as { ok: boolean; events: { id: string; body: string }[]; cursor: string; gap?: JsonObject };
  };
  const parse = (event: { body: string } | undefined, self: JsonObject = {}): Promise<JsonObject> =>
    adapter.call('parse-inbound', { credentials: account(), self, request: { headers: {}, body: event?.body } });
  const subjects = async (events: { body: string }[]) =>
    Promise.all(events.map(async (event) => ((await parse(event)).metadata as JsonObject).subject));

  it('is read from now on, in order, and again from the same cursor until the next one is asked for', async () => {
    dovecot.deliver(user, mail('before'));
    const first = await poll(undefined);
    expect(first).toMatchObject({ ok: true, events: [] });
    for (const id of ['a', 'b', 'c']) dovecot.deliver(user, mail(id));
    const second = await poll(first.cursor);
    expect(await subjects(second.events)).toEqual(['a', 'b', 'c']);
    expect((await poll(first.cursor)).events).toEqual(second.events);
    expect((await poll(second.cursor)).events).toEqual([]);
    expect(new Set(second.events.map(({ id }) => id)).size).toBe(3);
  });

  it('answers a waiting question as soon as a mail comes, with TLS and with STARTTLS', async () => {
    for (const more of [{}, { port: dovecot.ports.starttls, encryption: 'starttls' }]) {
      const bob = account({ ...more, username: 'bob@example.org', password: 'another' });
      const [{ cursor }, of] = [await poll(undefined, 0, account(more)), await poll(undefined, 0, bob)];
      let isOver = false;
      const whole = poll(of.cursor, 50, bob).finally(() => (isOver = true));
      const waiting = poll(cursor, 50, account(more));
      setTimeout(() => dovecot.deliver(user, mail('awaited')), 1_000);
      expect(await subjects((await waiting).events)).toEqual(['awaited']);
      // A question that was asked before, and that no mail answers, still waits.
      expect(isOver).toBe(false);
      dovecot.deliver('bob@example.org', mail('of bob'));
      expect((await whole).events).toHaveLength(1);
    }
  });

  it('gives an answer without events when the time is over', async () => {
    const { cursor } = await poll(undefined);
    expect(await poll(cursor, 1)).toMatchObject({ ok: true, events: [] });
  });

  it('is parsed as every mail is: sender, thread, dedup key, and what a reply continues', async () => {
    const { cursor } = await poll(undefined);
    dovecot.deliver(user, mail('reply', 'Yes.', 'References: <root@example.org> <b@example.org>\n'));
    dovecot.deliver(user, `From: jane@example.org\nSubject: no id\n\nHello\n`);
    dovecot.deliver(user, mail('own', 'x', 'X-Gatehouse-Delivery: dlv_1\n'));
    dovecot.deliver(user, mail('away', 'x', 'Auto-Submitted: auto-replied\n'));
    const { events } = await poll(cursor);
    const [reply, unnamed, own, away] = await Promise.all(events.map((event) => parse(event, { email: user })));
    expect(reply).toMatchObject({
      event_type: 'email_received',
      sender: 'jane@example.org',
      message: expect.stringContaining('Yes.'),
      is_bot: false,
      dedup_key: 'imap:<reply@example.org>',
      thread_id: '<root@example.org>',
      metadata: {
        channel_address: 'jane@example.org',
        account: user,
        reply_context: { message_id: '<reply@example.org>', references: ['<root@example.org>', '<b@example.org>'] },
      },
    });
    expect(unnamed?.dedup_key).toMatch(/^imap:\d+:\d+$/);
    expect(own?.is_bot).toBe(true);
    expect(away?.metadata).toMatchObject({ auto_submitted: true });
  });

  it('brings a large mail as far as the limit and says so, and its files are fetched from the mailbox', async () => {
    const { cursor } = await poll(undefined);
    const file = Buffer.alloc(3_000, 'file').toString('base64').replaceAll(/.{76}/g, '$&\n');
    const mixed = [
      'Content-Type: multipart/mixed; boundary=b\n',
      '--b\nContent-Type: text/plain\n\nSee the file.',
      `--b\nContent-Type: text/csv; name=a.csv\nContent-Disposition: attachment; filename=a.csv\nContent-Transfer-Encoding: base64\n\n${file}`,
      '--b--',
    ];
    dovecot.deliver(user, `From: jane@example.org\nMessage-ID: <large@x>\nSubject: large\n${mixed.join('\n')}\n`);
    const [event] = (await poll(cursor)).events;
    expect(Buffer.from((JSON.parse(event?.body ?? '') as { mail: string }).mail, 'base64')).toHaveLength(maxMailBytes);
    const { message, metadata } = (await parse(event)) as { message: string; metadata: { attachments: JsonObject[] } };
    expect(message).toContain('See the file.');
    expect(metadata).toMatchObject({ truncated: true, mail_bytes: expect.any(Number) });
    const [attachment] = metadata.attachments;
    expect(attachment).toEqual({ id: '1', name: 'a.csv', content_type: 'text/csv', fetch_ref: expect.any(String) });
    const fetchFile = (file_path: unknown) =>
      fetch(`${adapter.url}/sources/fetch-file`, {
        method: 'POST',
        body: JSON.stringify({ credentials: account(), resource_path: '', file_path }),
      });
    const bytes = Buffer.from(await (await fetchFile(attachment?.fetch_ref)).arrayBuffer());
    expect(bytes.equals(Buffer.alloc(3_000, 'file'))).toBe(true);
    expect(await (await fetchFile('1/1/1')).json()).toMatchObject({ ok: false, error: 'not_found' });
  });

  it('gives many mails in several answers, none twice and none never', async () => {
    let { cursor } = await poll(undefined);
    const ids = Array.from({ length: 120 }, (_, index) => `many-${index}`);
    for (const id of ids) dovecot.deliver(user, mail(id));
    const seen: unknown[] = [];
    for (let answers = 0; seen.length < ids.length && answers < 10; answers++) {
      const answer = await poll(cursor);
      expect(answer.events.length).toBeLessThanOrEqual(50);
      seen.push(...(await subjects(answer.events)));
      cursor = answer.cursor;
    }
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it('that is numbered anew is read again as far as it may be new, under the same dedup keys, and that is a gap', async () => {
    const { cursor } = await poll(undefined);
    dovecot.deliver(user, mail('known'));
    const before = await poll(cursor);
    dovecot.deliver(user, mail('new'));
    const renumbered = await until('it has another UIDVALIDITY', async () => {
      dovecot.renumber(user);
      const answer = await poll(before.cursor);
      return answer.gap && answer;
    });
    expect(renumbered.gap).toMatchObject({ reason: expect.stringContaining('UIDVALIDITY'), since: expect.any(String) });
    const all = [...renumbered.events];
    for (let next = renumbered; next.events.length > 0;) {
      next = await poll(next.cursor);
      expect(next.gap).toBeUndefined();
      all.push(...next.events);
    }
    const keys = await Promise.all(all.map(async (event) => (await parse(event)).dedup_key));
    expect(keys).toEqual(expect.arrayContaining(['imap:<known@example.org>', 'imap:<new@example.org>']));
    const [known] = await Promise.all(before.events.map((event) => parse(event)));
    expect(known?.dedup_key).toBe('imap:<known@example.org>');
    expect(all.map(({ id }) => id)).not.toContain(before.events[0]?.id);
  });

  it('that is another one now is read from now on, and that is a gap', async () => {
    const { cursor } = await poll(undefined);
    dovecot.deliver('bob@example.org', mail('of bob'));
    const another = await poll(cursor, 0, account({ username: 'bob@example.org', password: 'another' }));
    expect(another).toMatchObject({ events: [], gap: { reason: expect.stringContaining('another mailbox') } });
  });

  it('stays as it was: nothing is marked as seen', async () => {
    const { cursor } = await poll(undefined);
    dovecot.deliver(user, mail('unseen'));
    const [event] = (await poll(cursor)).events;
    const { folder } = JSON.parse(event?.body ?? '') as { folder: string };
    expect(folder).toBe('INBOX');
    expect(dovecot.seen(user)).toBe(0);
  });

  it('says which part is wrong: host, login or folder', async () => {
    const verify = (more: JsonObject, by = adapter) => by.call('verify', { credentials: account(more) });
    expect(await verify({})).toMatchObject({ ok: true, user, warnings: [expect.stringContaining('smtp_host')] });
    const cases: [JsonObject, string, RegExp, AdapterHost?][] = [
      [{ host: '10.1.2.3' }, 'auth_failed', /^host: .*blocked_address/],
      [{ port: 1 }, 'provider_unavailable', /^host: it cannot be reached/],
      [{ encryption: 'starttls' }, 'provider_unavailable', /^host: /, hasty],
      [{}, 'auth_failed', /^host: the server's certificate/, strange],
      [{ port: dovecot.ports.starttls, encryption: 'starttls' }, 'auth_failed', /^host: the server's cert/, strange],
      [{ password: 'wrong' }, 'auth_failed', /^login: /],
      [{ folder: 'Nowhere' }, 'auth_failed', /^folder: /],
      [{ password: '' }, 'auth_failed', /^login: a password/],
    ];
    for (const [more, error, message, by] of cases) {
      const answer = await verify(more, by);
      expect([more, answer]).toEqual([more, { ok: false, error, message: expect.stringMatching(message) }]);
    }
  });

  it('that is gone for a while is unavailable, and goes on from its cursor', async () => {
    const { cursor } = await poll(undefined);
    const waiting = poll(cursor, 50);
    dovecot.deliver('bob@example.org', mail('elsewhere'));
    await dovecot.kill();
    dovecot.deliver(user, mail('meanwhile'));
    const broken = await waiting;
    if (broken.ok) expect(await subjects(broken.events)).toEqual([]);
    else expect(broken).toMatchObject({ error: 'provider_unavailable' });
    expect(await poll(cursor)).toMatchObject({ ok: false, error: 'provider_unavailable' });
    await dovecot.restart();
    const restarted = await until('it answers', async () => {
      const answer = await poll(cursor);
      return answer.ok && answer;
    });
    expect(await subjects(restarted.events)).toEqual(['meanwhile']);
  });

  it('is not posted to', async () => {
    const request = { headers: {}, body: '{}' };
    expect(await adapter.call('verify-webhook', { credentials: account(), request })).toMatchObject({
      ok: false,
      error: 'unsupported',
    });
    expect(adapter.logs()).not.toContain(password);
  });
});
