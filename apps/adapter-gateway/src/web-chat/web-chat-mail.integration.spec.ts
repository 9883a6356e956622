import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { silenceLogs, until } from '#libs/testing';
import { Logger } from '@nestjs/common';
import { awayMs, ChatByMail } from '../testing/chat-by-mail.js';

let chat: ChatByMail;
beforeAll(async () => {
  chat = new ChatByMail();
  await chat.start();
});
afterEach(() => chat.reset());
afterAll(() => chat.close());

describe('an answer to a visitor who is away', () => {
  it('goes by mail once, to the address of the signed token, and stands in the timeline and on the delivery', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    const id = await chat.answer(address, 'It is **green**.');
    expect(Date.parse(String((await chat.mailOf(id))?.due_at))).toBeGreaterThan(Date.now() + awayMs / 2);
    const { delivery_id: delivery } = await chat.ends(await chat.due(id), 'sent');
    expect(chat.to(email)).toHaveLength(1);
    const [sent] = chat.to(email);
    expect(sent).toMatchObject({ message: { subject: 'Your conversation: chat' }, idempotency_key: delivery });
    expect(sent!.message.text).toContain('It is **green**.');
    expect(sent!.message.text).toContain('Reply to this mail');
    expect(sent!.message.thread_id).toMatch(/^<chat\.[\w-]{32}@/);
    expect(await chat.mailEntriesOf(id)).toEqual(['running mailed_while_away', 'ok mailed']);
    expect(await chat.eventOf(id)).toBe('delivered');
    const row = await chat.deliveries.read(String(delivery));
    expect([row.receipt_id, row.app_id]).toEqual([(await chat.deliveries.read(id)).receipt_id, chat.mailApp]);
  });

  it('goes once, where the answer is repeated, a process dies before the hand-over, and another right after it', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    const id = await chat.answer(address);
    // A process had claimed it, and died.
    await chat.world.query(
      `UPDATE gateway.web_chat_mail SET state = 'running', claim = claim + 1, due_at = now(),
         lease_until = now() + interval '1 day' WHERE message_id = $1`,
      [id],
    );
    // One died after it had stored the answer: the delivery is repeated, by whoever asks and not by a sweep before.
    await chat.world.query(
      `UPDATE gateway.delivery SET state = 'queued', ended_at = NULL, due_at = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    expect((await chat.world.call('POST', `deliveries/${id}/redrive`)).status).toBe(202);
    await chat.deliveries.inState(id, 'delivered');
    // One dies when the delivery by mail is committed: its job is lost.
    let lost = 0;
    const restores = chat.gateways.map((gateway) => {
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
    await chat.world.query(`UPDATE gateway.web_chat_mail SET lease_until = now() WHERE message_id = $1`, [id]);
    const { delivery_id: delivery } = await chat.ends(id, 'sent');
    for (const restore of restores) restore();
    silenceLogs();
    expect(lost).toBeGreaterThan(1);
    // What is handed over has not failed.
    expect(warned).not.toContainEqual(expect.objectContaining({ event: 'web_chat.mail_failed' }));
    expect(chat.to(email).map(({ idempotency_key: key }) => key)).toEqual([delivery]);
    const rows = await chat.world.query('SELECT id FROM gateway.web_chat_mail WHERE visitor = $1', [address]);
    expect(rows).toHaveLength(1);
  });

  it('waits where its visitor had a page open a minute ago, which is not long enough', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    const seen = (ago: string) =>
      chat.world.query(
        'UPDATE gateway.web_chat_conversation SET seen_at = now() - $2::interval WHERE app_id = $3 AND visitor = $1',
        [address, ago, chat.app],
      );
    await seen('1 minute');
    const id = await chat.missed(address);
    const waits = await until('it was looked at', async () => {
      const row = await chat.mailOf(id);
      return row?.reason === 'visitor_present' ? row : null;
    });
    expect(waits.state).toBe('queued');
    expect(Date.parse(String(waits.due_at))).toBeGreaterThan(Date.now() + awayMs / 2);
    expect(chat.to(email)).toEqual([]);
    await seen('2 hours');
    await chat.ends(await chat.due(id), 'sent');
  });

  it('does not go to a visitor with an open page, nor to one who comes back in time', async () => {
    const [here, returned] = [await chat.signed(), await chat.signed()];
    await chat.open(here.visitor);
    await chat.write(here.visitor);
    await chat.write(returned.visitor);
    const [seen, unseen] = [await chat.answer(here.address), await chat.answer(returned.address)];
    await chat.open(returned.visitor);
    await chat.ends(seen, 'shown');
    await chat.ends(unseen, 'shown');
    expect([...chat.to(here.email), ...chat.to(returned.email)]).toEqual([]);
  });

  it('does not leave once the visitor is back, while the mail App cannot send it', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    chat.mail.routes['deliver'] = () => ({
      ok: false,
      error: 'provider_unavailable',
      error_detail: { retryable: true, retry_after: 60 },
    });
    const id = await chat.missed(address);
    const { delivery_id: delivery } = await chat.ends(id, 'handed');
    await until(
      'it was tried',
      async () => (await chat.deliveries.read(String(delivery))).error !== null && chat.to(email).length === 1,
    );
    await chat.open(visitor);
    await chat.deliveries.inState(String(delivery), 'expired');
    expect(await chat.deliveries.read(String(delivery))).toMatchObject({ error: 'visitor_returned' });
    await until('the timeline says so', async () =>
      (await chat.deliveries.journalOf(String(delivery))).includes('expired visitor_returned'),
    );
    await chat.ends(id, 'shown');
    expect(chat.to(email)).toHaveLength(1);
  });

  it('waits in the chat over the limit of its address, which the timeline says', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    for (const text of ['one', 'two', 'three']) await chat.ends(await chat.missed(address, text), 'sent');
    const over = await chat.missed(address, 'four');
    expect(await chat.ends(over, 'dead')).toMatchObject({ reason: 'mail_limit', delivery_id: null });
    expect(await chat.mailEntriesOf(over)).toEqual(['failed mail_limit']);
    expect(await chat.eventOf(over)).toBe('delivered');
    expect(chat.to(email)).toHaveLength(3);
    // All are of one thread.
    expect(new Set(chat.to(email).map(({ message }) => message.thread_id)).size).toBe(1);
  });

  it('has its files with it, and names choices', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    const message = {
      text: 'Here.',
      attachments: [
        { name: 'a.txt', content_type: 'text/plain', content_base64: Buffer.from('file').toString('base64') },
      ],
    };
    const call = { app_id: chat.app, channel_address: address, idempotency_key: newId('req'), message };
    const { body } = await chat.world.internal('POST', 'adapter-calls/deliver', call);
    const id = String(body.delivery_id);
    await chat.deliveries.inState(id, 'delivered');
    await chat.ends(await chat.due(id), 'sent');
    expect(chat.to(email)[0]?.message.attachments).toEqual([
      expect.objectContaining({ name: 'a.txt', content_base64: Buffer.from('file').toString('base64') }),
    ]);
  });
});

describe('a mail that answers', () => {
  const receive = async (from: string, thread: string, more: object = {}) => {
    chat.mail.routes['parse-inbound'] = () => ({
      event_type: 'email_received',
      sender: from,
      is_bot: false,
      message: 'Thank you!',
      thread_id: thread,
      metadata: { sender: { id: from, email: from }, attachments: [{ id: '1', name: 'photo.jpg' }], ...more },
    });
    return chat.world.receive(chat.mailApp, { scheme: 'standard-webhooks' });
  };
  const outcome = (receipt: string) =>
    until('it has ended here', async () => {
      const { rows } = await chat.world.pool.query(
        `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE receipt_id = $1 AND stage = 'parsed' AND outcome <> 'retrying'`,
        [receipt],
      );
      return rows[0] ?? null;
    });

  it('is looked up by its App: not among all that web chats have set', async () => {
    const client = await chat.world.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT FROM gateway.web_chat_mail_setting WHERE mail_app_id = 'app_1' AND organization_id = 'org_1' LIMIT 1`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index Scan using web_chat_mail_setting_of_app');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('goes on in the web chat, once, and is shown there; another sender or thread is an ordinary mail', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    await chat.ends(await chat.missed(address), 'sent');
    const thread = String(chat.to(email)[0]!.message.thread_id);
    const before = chat.stored.size;
    const receipt = await receive(email, thread);
    expect(await outcome(receipt)).toMatchObject({ outcome: 'ignored', reason: 'continues_web_chat' });
    await receive(email, thread).then(outcome);
    expect(chat.stored.size).toBe(before + 2);
    const [id, first] = [...chat.stored][before]!;
    expect(id).toBe(`web chat ${address} mail-${receipt}-0`);
    expect(first).toMatchObject({
      visitor: { id: address, signed: false, by: 'mail', email },
      text: 'Thank you!\n\n(Attached to the mail: photo.jpg)',
    });
    const page = await chat.open(visitor);
    await until('it is shown', () => page.messages.filter(({ text }) => text.startsWith('Thank you!')).length === 2);
    for (const [from, of, more] of [
      ['stranger@example.com', thread, {}],
      [email, '<another@example.com>', {}],
      [email, thread, { auto_submitted: true }],
    ] as const) {
      const other = await receive(from, of, more);
      expect(await chat.world.routed(other)).toMatchObject({ app_id: chat.mailApp });
    }
    expect(chat.stored.size).toBe(before + 2);
    // By a program that writes References of its own, the id of the mail is enough.
    const [sent] = chat.to(email);
    const context = { references: [`<${sent!.idempotency_key}@example.com>`] };
    await receive(email, '<own@example.com>', { reply_context: context }).then(outcome);
    expect(chat.stored.size).toBe(before + 3);
  });

  it('is tried again while the ingress is away, and is an ordinary mail where the chat is gone', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    await chat.ends(await chat.missed(address), 'sent');
    const thread = String(chat.to(email)[0]!.message.thread_id);
    chat.refusing = 503;
    const receipt = await receive(email, thread);
    await until('it was tried', async () => {
      const { rows } = await chat.world.pool.query('SELECT 1 FROM gateway.inbound_wait WHERE receipt_id = $1', [
        receipt,
      ]);
      return rows.length > 0;
    });
    chat.refusing = null;
    expect(await outcome(receipt)).toMatchObject({ reason: 'continues_web_chat' });
    chat.refusing = 404;
    expect(await chat.world.routed(await receive(email, thread))).toMatchObject({ app_id: chat.mailApp });
  });
});

describe('the setting', () => {
  it('takes an App of the project that sends mail, says when it cannot be used, and is audited', async () => {
    const set = (body: object, caller = {}) => chat.world.call('PUT', `apps/${chat.app}/web-chat`, body, caller);
    expect((await set({ mail_app_id: chat.app })).body).toMatchObject({ code: 'no_mail_app' });
    expect((await set({ mail_app_id: 'app_none' })).body).toMatchObject({ code: 'no_mail_app' });
    expect((await set({ mail_app_id: chat.mailApp, subject: 'Two\nlines' })).body).toMatchObject({
      code: 'invalid_fields',
    });
    expect((await set({ mail_app_id: chat.mailApp }, { projectId: 'prj_other' })).status).toBe(404);
    expect((await set({ mail_app_id: chat.mailApp }, { scopes: ['apps:read'] })).status).toBe(403);
    expect((await chat.world.call('GET', `apps/${chat.mailApp}/web-chat`)).status).toBe(404);
    const { body } = await set({ mail_app_id: chat.mailApp, subject: 'Your question' });
    expect(body).toEqual({
      app_id: chat.app,
      mail_app_id: chat.mailApp,
      subject: 'Your question',
      problem: null,
      replies: true,
    });
    const { rows } = await chat.world.pool.query(
      `SELECT before, after FROM gateway.audit WHERE action = 'web_chat.mail_set' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([
      {
        before: { mail_app_id: chat.mailApp, subject: null },
        after: { mail_app_id: chat.mailApp, subject: 'Your question' },
      },
    ]);
  });

  it('that is off sends nothing, also what was waiting', async () => {
    const { visitor, email, address } = await chat.signed();
    await chat.write(visitor);
    const waiting = await chat.answer(address);
    expect((await chat.world.call('PUT', `apps/${chat.app}/web-chat`, { mail_app_id: null })).status).toBe(200);
    expect(await chat.ends(await chat.due(waiting), 'dead')).toMatchObject({ reason: 'mail_off' });
    expect(await chat.mailOf(await chat.answer(address))).toBeNull();
    expect(chat.to(email)).toEqual([]);
    const page = await chat.open(visitor);
    await until('the page knows', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ mail: null });
    expect((await chat.ask('mail', { visitor, email })).body.code).toBe('mail_off');
  });
});
