import { newId } from '#libs/contracts';
import { eventResult, latestEntries } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { home, silenceLogs, until } from '#libs/testing';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SignJWT } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import { type ChatPage, openPage } from '../testing/chat-page.js';
import { Deliveries } from '../testing/deliveries.js';
import { type CallBody, type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';

const origin = 'https://www.example.com';
const identitySecret = 'TWFkZSBmb3IgdGVzdHM6IHRoZSBmaXJzdCBhY2NvdW50';
/** Longer than any test: a mail is due when its test says so. */
const awayMs = 3_600_000;
const codesPerApp = 100;
let world: GatewayWorld;
let ingress: TestServer;
let [chat, mail]: FakeAdapter[] = [];
let deliveries: Deliveries;
let gateways: NestFastifyApplication[];
let [app, mailApp] = ['', ''];
let url = '';
let replies: Map<string, { id: string; body: string }>;
/** The chat's App takes nothing: the ingress answers this. */
let refusing: number | null;
const pages: ChatPage[] = [];

beforeAll(async () => {
  [replies, refusing] = [new Map(), null];
  ingress = await httpServer((path, body, response) => {
    if (!path.endsWith('/fetched-requests')) return sendJson(response, { request: JSON.parse('{}') });
    if (refusing !== null) return sendJson(response, { code: 'refused', detail: 'no' }, refusing);
    const request = JSON.parse(body) as { id: string; body: string };
    const duplicate = replies.has(request.id);
    if (!duplicate) replies.set(request.id, request);
    return sendJson(response, { event_id: `evt_${replies.size}`, duplicate });
  });
  const credentials = ['origins', 'identity_secret', 'anonymous'].map((maps_to) => ({
    key: maps_to.toUpperCase(),
    type: 'text',
    label: maps_to,
    maps_to,
    required: maps_to === 'origins',
  }));
  chat = await fakeAdapter('chat', { credentials, message: { mailbox: true, idempotent: true }, features: ['files'] });
  mail = await fakeAdapter('post', { credentials: [], message: { mail: true, threads: true }, features: ['files'] });
  const settings = { WEB_CHAT_AWAY_AFTER_MS: awayMs, WEB_CHAT_CODES_PER_APP: codesPerApp };
  world = await startGateway({ INGRESS_URL: ingress.url, ...settings }, ingress, chat, mail);
  gateways = [world.app, await world.start()];
  url = await world.app.getUrl();
  chat.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: key });
  chat.routes['format'] = ({ text }) => ({ text, format: 'markdown', parts: [text], lossy: [] });
  mail.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `<${key}@example.com>` });
  deliveries = new Deliveries(world);
  app = (await world.install(chat)).id;
  mailApp = (await world.install(mail)).id;
  const id = newId('cred');
  const fields = { ORIGINS: origin, IDENTITY_SECRET: identitySecret, ANONYMOUS: 'yes' };
  world.vault.credentials.set(id, fields);
  const linked = Object.fromEntries(Object.keys(fields).map((key) => [key, id]));
  expect((await world.call('PATCH', `apps/${app}`, { credentials: linked })).status).toBe(200);
  expect((await world.call('PUT', `apps/${app}/web-chat`, { mail_app_id: mailApp })).status).toBe(200);
});
afterEach(() => {
  for (const page of pages.splice(0)) page.leave();
  refusing = null;
  mail!.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `<${key}@example.com>` });
});
afterAll(() => world.close());

const anonymous = () => ({ secret: randomBytes(32).toString('base64url') });
let people = 0;
/** A visitor whom the site has signed, with an address that no other test has. */
async function signed(email = `jane${(people += 1)}@example.com`, sub: string = randomUUID()) {
  const signer = new SignJWT({ sub, email }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m');
  const token = await signer.sign(new TextEncoder().encode(identitySecret));
  return { visitor: { token }, email, address: `user:${sub}` };
}
const post = async (path: string, body: object, client = '192.0.2.1') => {
  const answer = await fetch(`${url}/api/v1/web-chat/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin, 'x-forwarded-for': client },
    body: JSON.stringify({ app, ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const write = (visitor: object) => post('messages', { visitor, id: randomUUID(), text: 'hello' });
const open = async (visitor: object): Promise<ChatPage> => {
  const page = await openPage(url, { app, visitor, after: 0 }, { origin });
  pages.push(page);
  return page;
};
const to = (email: string): CallBody[] =>
  mail!.bodiesOf('deliver').filter(({ channel_address: address }) => address === email);
const mailOf = async (id: string) => (await deliveries.read(id)).mail;
/** Outcome and reason of each entry about the mail of an answer. */
const mailEntriesOf = async (id: string) => {
  const [row] = await world.query<{ id: string }>('SELECT id FROM gateway.web_chat_mail WHERE message_id = $1', [id]);
  return row ? deliveries.journalOf(row.id) : [];
};
/** What lists say of an event that this delivery answers. */
const eventOf = async (id: string) => {
  const { receipt_id } = await deliveries.read(id);
  const turn = { receipt_id, stage: 'turn', subject_id: 'trn', outcome: 'succeeded', reason: null } as const;
  const latest = await latestEntries({ query: world.query }, home, [receipt_id]);
  return eventResult([{ id: 'trn', last: { ...turn, detail: { delivery_id: id } } }], latest).state;
};
const answer = async (address: string, text = 'The answer.') => {
  const id = await deliveries.send(app, { text, address });
  await deliveries.inState(id, 'delivered');
  return id;
};
/** The time is over after which the visitor of an answer counts as away. */
const due = async (id: string) => {
  await world.query(`UPDATE gateway.web_chat_mail SET due_at = now() WHERE message_id = $1 AND state = 'queued'`, [id]);
  return id;
};
/** An answer to a visitor who is away for long. */
const missed = async (address: string, text?: string) => due(await answer(address, text));
const ends = (id: string, state: string) =>
  until(`the mail is ${state}`, async () => {
    const row = await mailOf(id);
    return row?.state === state ? row : null;
  });

describe('an answer to a visitor who is away', () => {
  it('goes by mail once, to the address of the signed token, and stands in the timeline and on the delivery', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    const id = await answer(address, 'It is **green**.');
    expect(Date.parse(String((await mailOf(id))?.due_at))).toBeGreaterThan(Date.now() + awayMs / 2);
    const { delivery_id: delivery } = await ends(await due(id), 'sent');
    expect(to(email)).toHaveLength(1);
    const [sent] = to(email);
    expect(sent).toMatchObject({ message: { subject: 'Your conversation: chat' }, idempotency_key: delivery });
    expect(sent!.message.text).toContain('It is **green**.');
    expect(sent!.message.text).toContain('Reply to this mail');
    expect(sent!.message.thread_id).toMatch(/^<chat\.[\w-]{32}@/);
    expect(await mailEntriesOf(id)).toEqual(['running mailed_while_away', 'ok mailed']);
    expect(await eventOf(id)).toBe('delivered');
    const row = await deliveries.read(String(delivery));
    expect([row.receipt_id, row.app_id]).toEqual([(await deliveries.read(id)).receipt_id, mailApp]);
  });

  it('goes once, where the answer is repeated, a process dies before the hand-over, and another right after it', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    const id = await answer(address);
    // A process had claimed it, and died.
    await world.query(
      `UPDATE gateway.web_chat_mail SET state = 'running', claim = claim + 1, due_at = now(),
         lease_until = now() + interval '1 day' WHERE message_id = $1`,
      [id],
    );
    // One died after it had stored the answer: the delivery is repeated, by whoever asks and not by a sweep before.
    await world.query(
      `UPDATE gateway.delivery SET state = 'queued', ended_at = NULL, due_at = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    expect((await world.call('POST', `deliveries/${id}/redrive`)).status).toBe(202);
    await deliveries.inState(id, 'delivered');
    // One dies when the delivery by mail is committed: its job is lost.
    let lost = 0;
    const restores = gateways.map((gateway) => {
      const jobs = gateway.get(JobClient, { strict: false });
      const enqueue = jobs.enqueue.bind(jobs);
      jobs.enqueue = async (job, payload, ...rest) => {
        const isMail = job.name === 'delivery.send' && (payload as { delivery_id: string }).delivery_id !== id;
        if (isMail && (lost += 1) === 1) throw new Error('it died');
        return enqueue(job, payload, ...rest);
      };
      return () => (jobs.enqueue = enqueue);
    });
    const warned: object[] = [];
    Logger.overrideLogger({
      log: () => undefined,
      warn: (line: object) => void warned.push(line),
      error: () => undefined,
    });
    await world.query(`UPDATE gateway.web_chat_mail SET lease_until = now() WHERE message_id = $1`, [id]);
    const { delivery_id: delivery } = await ends(id, 'sent');
    for (const restore of restores) restore();
    silenceLogs();
    expect(lost).toBeGreaterThan(1);
    // What is handed over has not failed.
    expect(warned).not.toContainEqual(expect.objectContaining({ event: 'web_chat.mail_failed' }));
    expect(to(email).map(({ idempotency_key: key }) => key)).toEqual([delivery]);
    const rows = await world.query('SELECT id FROM gateway.web_chat_mail WHERE visitor = $1', [address]);
    expect(rows).toHaveLength(1);
  });

  it('waits where its visitor had a page open a minute ago, which is not long enough', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    const seen = (ago: string) =>
      world.query(
        'UPDATE gateway.web_chat_conversation SET seen_at = now() - $2::interval WHERE app_id = $3 AND visitor = $1',
        [address, ago, app],
      );
    await seen('1 minute');
    const id = await missed(address);
    const waits = await until('it was looked at', async () => {
      const row = await mailOf(id);
      return row?.reason === 'visitor_present' ? row : null;
    });
    expect(waits.state).toBe('queued');
    expect(Date.parse(String(waits.due_at))).toBeGreaterThan(Date.now() + awayMs / 2);
    expect(to(email)).toEqual([]);
    await seen('2 hours');
    await ends(await due(id), 'sent');
  });

  it('does not go to a visitor with an open page, nor to one who comes back in time', async () => {
    const [here, returned] = [await signed(), await signed()];
    await open(here.visitor);
    await write(here.visitor);
    await write(returned.visitor);
    const [seen, unseen] = [await answer(here.address), await answer(returned.address)];
    await open(returned.visitor);
    await ends(seen, 'shown');
    await ends(unseen, 'shown');
    expect([...to(here.email), ...to(returned.email)]).toEqual([]);
  });

  it('does not leave once the visitor is back, while the mail App cannot send it', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    mail!.routes['deliver'] = () => ({
      ok: false,
      error: 'provider_unavailable',
      error_detail: { retryable: true, retry_after: 60 },
    });
    const id = await missed(address);
    const { delivery_id: delivery } = await ends(id, 'handed');
    await until(
      'it was tried',
      async () => (await deliveries.read(String(delivery))).error !== null && to(email).length === 1,
    );
    await open(visitor);
    await deliveries.inState(String(delivery), 'expired');
    expect(await deliveries.read(String(delivery))).toMatchObject({ error: 'visitor_returned' });
    await until('the timeline says so', async () =>
      (await deliveries.journalOf(String(delivery))).includes('expired visitor_returned'),
    );
    await ends(id, 'shown');
    expect(to(email)).toHaveLength(1);
  });

  it('waits in the chat over the limit of its address, which the timeline says', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    for (const text of ['one', 'two', 'three']) await ends(await missed(address, text), 'sent');
    const over = await missed(address, 'four');
    expect(await ends(over, 'dead')).toMatchObject({ reason: 'mail_limit', delivery_id: null });
    expect(await mailEntriesOf(over)).toEqual(['failed mail_limit']);
    expect(await eventOf(over)).toBe('delivered');
    expect(to(email)).toHaveLength(3);
    // All are of one thread.
    expect(new Set(to(email).map(({ message }) => message.thread_id)).size).toBe(1);
  });

  it('has its files with it, and names choices', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    const message = {
      text: 'Here.',
      attachments: [
        { name: 'a.txt', content_type: 'text/plain', content_base64: Buffer.from('file').toString('base64') },
      ],
    };
    const call = { app_id: app, channel_address: address, idempotency_key: newId('req'), message };
    const { body } = await world.internal('POST', 'adapter-calls/deliver', call);
    const id = String(body.delivery_id);
    await deliveries.inState(id, 'delivered');
    await ends(await due(id), 'sent');
    expect(to(email)[0]?.message.attachments).toEqual([
      expect.objectContaining({ name: 'a.txt', content_base64: Buffer.from('file').toString('base64') }),
    ]);
  });
});

describe('an address that a visitor names', () => {
  const codeIn = (email: string): string => /\*\*(\d{8})\*\*/.exec(to(email).at(-1)?.message.text ?? '')?.[1] ?? '';
  const asks = async (visitor: object, email: string, client?: string) => {
    const before = to(email).length;
    const asked = await post('mail', { visitor, email }, client);
    if (asked.status === 200) await until('the code was sent', () => to(email).length > before);
    return asked;
  };
  const addressOf = async (visitor: object): Promise<string> => {
    await write(visitor);
    return (JSON.parse([...replies.values()].at(-1)!.body) as { visitor: { id: string } }).visitor.id;
  };

  it('gets a code and nothing else, until the code comes back', async () => {
    const visitor = anonymous();
    const address = await addressOf(visitor);
    const asked = await asks(visitor, 'joe@example.com');
    expect(asked).toEqual({ status: 200, body: { state: 'code', email: 'j…@example.com' } });
    const early = await answer(address, 'Too early.');
    expect(await mailOf(early)).toBeNull();
    expect((await post('mail/confirm', { visitor, code: '00000000' })).body.code).toBe('wrong_code');
    expect((await post('mail/confirm', { visitor: anonymous(), code: codeIn('joe@example.com') })).status).toBe(422);
    const confirmed = await post('mail/confirm', { visitor, code: codeIn('joe@example.com') });
    expect(confirmed.body).toEqual({ state: 'on', email: 'j…@example.com' });
    await ends(await missed(address, 'Now.'), 'sent');
    expect(to('joe@example.com').map(({ message }) => message.text.slice(0, 4))).toEqual(['Your', 'Now.']);
    const page = await open(visitor);
    await until('the page knows', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ mail: { state: 'on', email: 'j…@example.com' } });
  });

  it('is not verified by its code after five wrong ones, nor when it is too old', async () => {
    const [tried, late] = [anonymous(), anonymous()];
    await asks(tried, 'tried@example.com', '192.0.2.20');
    await asks(late, 'late@example.com', '192.0.2.20');
    for (let at = 0; at < 5; at += 1) await post('mail/confirm', { visitor: tried, code: '00000000' });
    expect((await post('mail/confirm', { visitor: tried, code: codeIn('tried@example.com') })).status).toBe(422);
    await world.pool.query(`UPDATE gateway.web_chat_address SET code_until = now() WHERE email = 'late@example.com'`);
    expect((await post('mail/confirm', { visitor: late, code: codeIn('late@example.com') })).status).toBe(422);
  });

  it('gets few codes a day, whoever asks, and few networks ask for many', async () => {
    const limitOf = ({ body }: { body: Record<string, unknown> }) =>
      (body['limit'] as { name?: string } | undefined)?.name;
    for (let at = 0; at < 3; at += 1) {
      expect((await asks(anonymous(), 'victim@example.com', `198.51.100.${at}`)).status).toBe(200);
    }
    const more = await Promise.all([6, 7].map((at) => asks(anonymous(), 'victim@example.com', `198.51.100.${at}`)));
    expect(more.map(limitOf)).toEqual(Array(2).fill('WEB_CHAT_CODES_PER_ADDRESS'));
    expect(to('victim@example.com')).toHaveLength(3);
    for (let at = 0; at < 10; at += 1) {
      expect((await asks(anonymous(), `many${at}@example.com`, `2001:db8::${at}`)).status).toBe(200);
    }
    expect(limitOf(await asks(anonymous(), 'many@example.com', '2001:db8::ffff'))).toBe('WEB_CHAT_CODES_PER_NETWORK');
  });

  it('gets no more codes than a network and an App may ask for, however many ask at once', async () => {
    const askAtOnce = async (name: string, clientOf: (at: number) => string) => {
      const all = Array.from({ length: 20 }, (_, at) =>
        post('mail', { visitor: anonymous(), email: `${name}${at}@example.com` }, clientOf(at)),
      );
      return (await Promise.all(all)).filter(({ status }) => status === 200).length;
    };
    expect(await askAtOnce('network', (at) => `2001:db8:0:5::${at}`)).toBe(10);
    const full = 'full@example.com';
    await world.query(
      `INSERT INTO gateway.web_chat_mail (id, organization_id, project_id, app_id, visitor, kind, email, delivery_id, state)
       SELECT 'wcm_' || n, $1, $2, $3, 'anon:none', 'code', $4, 'dlv_none', 'sent' FROM generate_series(1, $5::integer - 5 - (
         SELECT count(*) FROM gateway.web_chat_mail WHERE app_id = $3 AND kind = 'code')::integer) AS n`,
      [home.organizationId, home.projectId, app, full, codesPerApp],
    );
    expect(await askAtOnce('app', (at) => `203.0.113.${at}`)).toBe(5);
    // Those of other tests have room again.
    await world.query('DELETE FROM gateway.web_chat_mail WHERE email = $1', [full]);
  });

  it('in the token of a visitor over its rate is not kept', async () => {
    const { visitor, email, address } = await signed();
    for (let at = 0; at < 10; at += 1) expect((await write(visitor)).status).toBe(200);
    await world.query('UPDATE gateway.web_chat_message SET created_at = now() WHERE visitor = $1', [address]);
    const other = await signed('elsewhere@example.com', address.slice('user:'.length));
    expect((await write(other.visitor)).status).toBe(429);
    const rows = await world.query('SELECT email FROM gateway.web_chat_address WHERE visitor = $1', [address]);
    expect(rows).toEqual([{ email }]);
  });

  it.each([
    'x',
    'a@b',
    'Jane <jane@example.com>',
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '@example.com',
  ])('is refused where it is none: %j', async (email) => {
    expect((await post('mail', { visitor: anonymous(), email }, '192.0.2.30')).body.code).toBe('invalid_email');
  });

  it('is turned off by its visitor, and by the button behind the link of a mail, not by the link', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    expect((await post('mail/stop', { visitor })).body.state).toBe('off');
    expect(await mailOf(await answer(address))).toBeNull();
    expect((await post('mail', { visitor, email })).body.state).toBe('on');
    await ends(await missed(address), 'sent');
    const link =
      /https?:\/\/\S+\/api\/v1\/web-chat\/mail\/off\?token=[\w-]+/.exec(to(email)[0]!.message.text)?.[0] ?? '';
    const { pathname, search } = new URL(link);
    const page = await fetch(`${url}${pathname}${search}`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining(`Answers of this chat may go to ${email}`),
    ]);
    await ends(await missed(address), 'sent');
    const press = async (body: string) =>
      (
        await fetch(`${url}${pathname}${search}`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })
      ).text();
    expect(await press('mails=off\r\n')).toContain(`No mail of this chat goes to ${email}`);
    expect(await ends(await missed(address), 'dead')).toMatchObject({ reason: 'mail_refused' });
    // Nor a code, whoever asks.
    expect((await post('mail', { visitor: anonymous(), email }, '192.0.2.40')).body.code).toBe('mail_refused');
    expect(await press('mails=on')).toContain('may go to');
    expect(to(email)).toHaveLength(2);
    const unknown = await fetch(`${url}${pathname}?token=${'x'.repeat(32)}`);
    expect(await unknown.text()).toContain('This link is not known');
  });
});

describe('a mail that answers', () => {
  const receive = async (from: string, thread: string, more: object = {}) => {
    mail!.routes['parse-inbound'] = () => ({
      event_type: 'email_received',
      sender: from,
      is_bot: false,
      message: 'Thank you!',
      thread_id: thread,
      metadata: { sender: { id: from, email: from }, attachments: [{ id: '1', name: 'photo.jpg' }], ...more },
    });
    return world.receive(mailApp, { scheme: 'standard-webhooks' });
  };
  const outcome = (receipt: string) =>
    until('it has ended here', async () => {
      const { rows } = await world.pool.query(
        `SELECT outcome, reason, detail FROM journal.entry WHERE receipt_id = $1 AND stage = 'parsed' AND outcome <> 'retrying'`,
        [receipt],
      );
      return rows[0] ?? null;
    });

  it('goes on in the web chat, once, and is shown there; another sender or thread is an ordinary mail', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    await ends(await missed(address), 'sent');
    const thread = String(to(email)[0]!.message.thread_id);
    const before = replies.size;
    const receipt = await receive(email, thread);
    expect(await outcome(receipt)).toMatchObject({ outcome: 'ignored', reason: 'continues_web_chat' });
    await receive(email, thread).then(outcome);
    expect(replies.size).toBe(before + 2);
    const [first] = [...replies.values()].slice(before);
    expect(first!.id).toBe(`web chat ${address} mail-${receipt}-0`);
    expect(JSON.parse(first!.body)).toMatchObject({
      visitor: { id: address, signed: false, by: 'mail', email },
      text: 'Thank you!\n\n(Attached to the mail: photo.jpg)',
    });
    const page = await open(visitor);
    await until('it is shown', () => page.messages.filter(({ text }) => text.startsWith('Thank you!')).length === 2);
    for (const [from, of, more] of [
      ['stranger@example.com', thread, {}],
      [email, '<another@example.com>', {}],
      [email, thread, { auto_submitted: true }],
    ] as const) {
      const other = await receive(from, of, more);
      expect(await world.routed(other)).toMatchObject({ app_id: mailApp });
    }
    expect(replies.size).toBe(before + 2);
    // By a program that writes References of its own, the id of the mail is enough.
    const [sent] = to(email);
    const context = { references: [`<${sent!.idempotency_key}@example.com>`] };
    await receive(email, '<own@example.com>', { reply_context: context }).then(outcome);
    expect(replies.size).toBe(before + 3);
  });

  it('is tried again while the ingress is away, and is an ordinary mail where the chat is gone', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    await ends(await missed(address), 'sent');
    const thread = String(to(email)[0]!.message.thread_id);
    refusing = 503;
    const receipt = await receive(email, thread);
    await until('it was tried', async () => {
      const { rows } = await world.pool.query('SELECT 1 FROM gateway.inbound_wait WHERE receipt_id = $1', [receipt]);
      return rows.length > 0;
    });
    refusing = null;
    expect(await outcome(receipt)).toMatchObject({ reason: 'continues_web_chat' });
    refusing = 404;
    expect(await world.routed(await receive(email, thread))).toMatchObject({ app_id: mailApp });
  });
});

describe('the setting', () => {
  it('takes an App of the project that sends mail, says when it cannot be used, and is audited', async () => {
    const set = (body: object, caller = {}) => world.call('PUT', `apps/${app}/web-chat`, body, caller);
    expect((await set({ mail_app_id: app })).body).toMatchObject({ code: 'no_mail_app' });
    expect((await set({ mail_app_id: 'app_none' })).body).toMatchObject({ code: 'no_mail_app' });
    expect((await set({ mail_app_id: mailApp, subject: 'Two\nlines' })).body).toMatchObject({ code: 'invalid_fields' });
    expect((await set({ mail_app_id: mailApp }, { projectId: 'prj_other' })).status).toBe(404);
    expect((await set({ mail_app_id: mailApp }, { scopes: ['apps:read'] })).status).toBe(403);
    expect((await world.call('GET', `apps/${mailApp}/web-chat`)).status).toBe(404);
    const { body } = await set({ mail_app_id: mailApp, subject: 'Your question' });
    expect(body).toEqual({ app_id: app, mail_app_id: mailApp, subject: 'Your question', problem: null, replies: true });
    const { rows } = await world.pool.query(
      `SELECT before, after FROM gateway.audit WHERE action = 'web_chat.mail_set' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([
      { before: { mail_app_id: mailApp, subject: null }, after: { mail_app_id: mailApp, subject: 'Your question' } },
    ]);
  });

  it('that is off sends nothing, also what was waiting', async () => {
    const { visitor, email, address } = await signed();
    await write(visitor);
    const waiting = await answer(address);
    expect((await world.call('PUT', `apps/${app}/web-chat`, { mail_app_id: null })).status).toBe(200);
    expect(await ends(await due(waiting), 'dead')).toMatchObject({ reason: 'mail_off' });
    expect(await mailOf(await answer(address))).toBeNull();
    expect(to(email)).toEqual([]);
    const page = await open(visitor);
    await until('the page knows', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ mail: null });
    expect((await post('mail', { visitor, email })).body.code).toBe('mail_off');
  });
});
