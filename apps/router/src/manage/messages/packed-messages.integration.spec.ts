import { type NormalizedMessage, turnRun, type TurnRunPayload } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { StoredMessage } from '../../entities/message.entity.js';
import { targetOf, turnOf } from '../../path/handover/turn-handover.service.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { caller, jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { ContactRepository } from '../contacts/contact.repository.js';
import { MessageFactRepository, type MessageFilter } from '../events/message-fact.repository.js';
import type { DryRunReport } from '../workflows/trigger-trial.service.js';

const text = 'Grüße aus ÅRHUS: "100 %" \\ 𠀀 '.repeat(30);
const metadata = {
  payload: { text, nested: [null, { deep: true }] },
  attachments: [{ name: 'a.pdf', content_type: 'application/pdf', url: 'https://example.com/a.pdf' }],
  long: 'x'.repeat(4_000),
};
const request = { headers: { 'x-event': 'push' }, query: { page: '1' } };

describe('a message that is packed in its row', () => {
  let world: RouterWorld;
  let packing: NestFastifyApplication;
  let plain: NestFastifyApplication;
  beforeAll(async () => {
    world = await routerWorld();
    packing = await world.start();
    plain = await world.start({ MESSAGE_PACK_BYTES: 0 });
  });
  afterAll(() => world.close());

  const receive = async (
    appId: string,
    message: Partial<NormalizedMessage> = {},
    by = packing,
  ): Promise<StoredMessage> => {
    const job = jobOf(appId, { message: text, thread_id: 't1', metadata, ...message }, { request });
    await by.get(RoutingService, { strict: false }).route(job, 1);
    return world.message(job.receipt_id);
  };
  const isPacked = async ({ id }: StoredMessage): Promise<boolean> =>
    (await world.row<{ is: boolean }>('SELECT packed IS NOT NULL AS is FROM router.message WHERE id = $1', [id])).is;

  it('is read as one that is not, and has neither text nor metadata beside', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const [one, other] = [await receive(appId), await receive(appId, {}, plain)];
    expect([await isPacked(one), await isPacked(other)]).toEqual([true, false]);
    expect(one.message).toEqual(other.message);
    expect(one).toMatchObject({ message: { message: text, metadata, thread_id: 't1' }, request });
    const kept = await world.row<{ row: string }>(
      'SELECT (to_jsonb(m) - $2)::text AS row FROM router.message m WHERE id = $1',
      [one.id, 'packed'],
    );
    expect(kept.row).not.toMatch(/RHUS|a\.pdf|x-event|instructions/);
    const input = ({ turns }: StoredMessage) => turns.map((turn) => targetOf(turn).input);
    expect(input(one)).toEqual(input(other));
  });

  it('is found by its text, beside those that are not, and listed with the same beginning', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const sent: StoredMessage[] = [];
    for (const by of [packing, plain]) {
      sent.push(await receive(appId, {}, by), await receive(appId, { message: 'Something else', metadata: {} }, by));
    }
    expect(await Promise.all(sent.map(isPacked))).toEqual([true, true, false, false]);
    const facts = packing.get(MessageFactRepository, { strict: false });
    const ids = sent.map(({ receipt_id }) => receipt_id);
    const found = async (filter: Partial<MessageFilter>) => {
      const all = { eventType: null, sender: null, contactId: null, text: null };
      const map = await facts.of(caller, ids, { ...all, ...filter });
      return ids.map((id) => map.get(id)?.text);
    };
    const beginning = [...text].slice(0, 200).join('');
    expect(await found({})).toEqual([beginning, 'Something else', beginning, 'Something else']);
    expect(await found({ text: 'AUS Århus: "100 %" \\ 𠀀' })).toEqual([beginning, undefined, beginning, undefined]);
    expect(await found({ text: 'SOMETHING', sender: 'ada' })).toEqual([
      undefined,
      'Something else',
      undefined,
      'Something else',
    ]);
    expect(await found({ text: 'something', sender: 'bob' })).toEqual(ids.map(() => undefined));
  });

  it('is shown the first of its event that matches, where one event has several', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const texts = Array.from({ length: 60 }, (_none, index) => `line ${index}`);
    const job = jobOf(
      appId,
      {},
      { messages: texts.map((message) => ({ event_type: 'a', sender: 'ada', message, is_bot: false })) },
    );
    await packing.get(RoutingService, { strict: false }).route(job, 1);
    const facts = packing.get(MessageFactRepository, { strict: false });
    const filter = { eventType: null, sender: null, contactId: null, text: 'LINE 5' };
    expect((await facts.of(caller, [job.receipt_id])).get(job.receipt_id)?.text).toBe('line 0');
    expect((await facts.of(caller, [job.receipt_id], filter)).get(job.receipt_id)?.text).toBe('line 5');
  });

  it('is searched a page at a time, of 500 rows and a megabyte, up to the first match of each event', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const noise = (length: number) => randomBytes(length / 2).toString('hex');
    const route = async (texts: string[]): Promise<string> => {
      const messages = texts.map((message) => ({ event_type: 'a', sender: 'ada', message, is_bot: false }));
      const job = jobOf(appId, {}, { messages });
      await packing.get(RoutingService, { strict: false }).route(job, 1);
      return job.receipt_id;
    };
    const ids: string[] = [];
    for (let event = 0; event < 3; event += 1)
      ids.push(await route(Array.from({ length: 240 }, (_none, at) => `${event} of short ones, line ${at}.`)));
    for (let event = 0; event < 2; event += 1)
      ids.push(await route([...Array.from({ length: 29 }, () => noise(60_000)), `long ${event}, line 239.`]));
    const pages: { rows: number; bytes: number }[] = [];
    const db: Queryable = {
      query: async (sql: string, parameters?: unknown[]) => {
        const rows = (await packing.get(DataSource, { strict: false }).query(sql, parameters)) as { packed: Buffer }[];
        pages.push({ rows: rows.length, bytes: rows.reduce((sum, { packed }) => sum + packed.length, 0) });
        return rows;
      },
    };
    const facts = packing.get(MessageFactRepository, { strict: false });
    const found = async (text: string | null) => {
      pages.length = 0;
      const map = await facts.of(caller, ids, { eventType: null, sender: null, contactId: null, text }, db);
      return ids.map((id) => map.get(id)?.text);
    };
    const last = ['0', '1', '2'].map((event) => `${event} of short ones, line 239.`);
    expect(await found('LINE 239.')).toEqual([...last, 'long 0, line 239.', 'long 1, line 239.']);
    expect(Math.max(...pages.map(({ rows }) => rows))).toBe(500);
    // The last row of a page may lie beyond its bytes.
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(1_048_576 + 65_536);
    expect(await found('nowhere')).toEqual(ids.map(() => undefined));
    const [all] = [pages.reduce((sum, { rows }) => sum + rows, 0)];
    expect(all).toBe(3 * 240 + 2 * 30);
    expect((await found(null)).slice(0, 2)).toEqual(['0 of short ones, line 0.', '1 of short ones, line 0.']);
    expect(pages.map(({ rows }) => rows)).toEqual([5]);
  });

  it('is found by a word with a sigma at its end, whichever of its forms is asked for, as one that is not packed', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const facts = packing.get(MessageFactRepository, { strict: false });
    const [capitals, small] = ['ΟΔΥΣΣΕΥΣ', 'Οδυσσευς'].map((word) => `${word} ${text}`);
    const sent = [await receive(appId, { message: capitals }), await receive(appId, { message: small })];
    sent.push(await receive(appId, { message: small }, plain));
    expect(await Promise.all(sent.map(isPacked))).toEqual([true, true, false]);
    const ids = sent.map(({ receipt_id }) => receipt_id);
    const found = async (word: string) => {
      const filter = { eventType: null, sender: null, contactId: null, text: word };
      const map = await facts.of(caller, ids, filter);
      return ids.map((id) => map.has(id));
    };
    // Whether Postgres knows that Δ is a δ depends on the database's collation; its letters are asked for as they are.
    for (const word of ['Οδυσσευς', 'Οδυσσευσ']) expect([word, await found(word)]).toEqual([word, [true, true, true]]);
    for (const word of ['ΟΔΥΣΣΕΥΣ', 'ΔΥΣΣΕΥΣ Gr'])
      expect([word, (await found(word)).slice(0, 2)]).toEqual([word, [true, true]]);
  });

  it('that cannot be unpacked is shown as such, and keeps no other from being shown or handed over again', async () => {
    const appId = await world.channel({ unknown_senders: 'hold' });
    const open = await world.channel({ unknown_senders: 'open' });
    const [damaged, whole] = [await receive(open), await receive(open)];
    const [heldDamaged, heldWhole] = [await receive(appId), await receive(appId)];
    const later = [damaged.id, heldDamaged.id];
    await world.query(`UPDATE router.message SET packed = '\\x0901' WHERE id = ANY($1)`, [later]);
    const notice = '[This message cannot be shown. A message is packed in form 9, which a later release wrote.]';
    const { body: held } = await world.call<{ data: { id: string; message: { message: string } }[] }>(
      'GET',
      `held-messages?app_id=${appId}`,
    );
    const shownAs = Object.fromEntries(held.data.map(({ id, message }) => [id, message.message]));
    expect(shownAs).toMatchObject({ [heldDamaged.id]: notice, [heldWhole.id]: text });
    const { body: event } = await world.call<{ messages: object[] }>('GET', `events/${damaged.receipt_id}`);
    expect(event.messages).toMatchObject([{ message: { message: notice, sender: 'ada' } }]);
    const facts = packing.get(MessageFactRepository, { strict: false });
    const listed = await facts.of(caller, [damaged.receipt_id, whole.receipt_id]);
    expect(listed.get(damaged.receipt_id)?.text).toBe(notice);
    expect(listed.get(whole.receipt_id)?.text).toBe([...text].slice(0, 200).join(''));

    const turns = [damaged, whole].map(({ turns: [turn] }) => turn!.turn_id);
    await world.query(
      `INSERT INTO router.stale_handover (subject_id, owner_id, receipt_id, next_at)
       SELECT *, now() - interval '1 day' FROM unnest($1::text[], $2::text[], $3::text[])`,
      [turns, [damaged.id, whole.id], [damaged.receipt_id, whole.receipt_id]],
    );
    const resent = async () =>
      (await world.waiting(turnRun)).filter(({ turn_id, custody }) => turns.includes(turn_id) && custody?.resent);
    await until('the other is handed over again', async () => (await resent()).length > 0);
    expect((await resent()).map(({ turn_id }) => turn_id)).toEqual([turns[1]]);
    expect((await world.internal('GET', `messages/${damaged.id}/turns/${turns[0]}`)).status).toBe(500);
  });

  it('is handed over again whole when its job is lost, also to the engine that asks for it', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const row = await receive(appId);
    const target = row.turns[0]!;
    const whole = turnOf(row, targetOf(target));
    expect(whole.input).toMatchObject({
      message: { message: text, metadata },
      reply: { app_id: appId, thread_id: 't1' },
    });
    const path = `messages/${row.id}/turns/${target.turn_id}`;
    expect((await world.internal<TurnRunPayload>('GET', path)).body.input).toEqual(whole.input);
    const { body } = await world.internal<{ data: object[] }>('GET', `messages?ids=${row.id}`);
    expect(body.data).toEqual([{ id: row.id, message: row.message }]);
  });

  it('is replayed and released with all that it had', async () => {
    const open = await receive(await world.channel({ unknown_senders: 'open' }));
    const held = await receive(await world.channel({ unknown_senders: 'hold' }));
    expect(held).toMatchObject({ outcome: 'held_unknown_sender' });
    expect((await world.call('POST', `events/${open.receipt_id}/replay`, {})).status).toBe(202);
    const { body } = await world.call<{ released: string[] }>('POST', 'held-messages/release', {
      message_ids: [held.id],
    });
    expect(body.released).toEqual([held.id]);
    for (const { id, message } of [open, held]) {
      const { payload } = await world.row<{ payload: TurnRunPayload }>(
        'SELECT payload FROM router.stale_handover WHERE owner_id = $1',
        [id],
      );
      expect(payload.input?.message).toEqual(message);
    }
  });

  it('is tried on triggers by its metadata, its text and its request', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    await receive(appId);
    await receive(appId, { metadata: {} });
    const where =
      'metadata.payload.nested[1].deep == true && event.message.contains("RHUS") && request.query.page == "1"';
    const { body } = await world.call<DryRunReport>('POST', 'triggers/dry-run', { app_id: appId, where });
    expect(body).toMatchObject({ problem: null, tried: 2, matched: 1 });
    expect(body.verdicts[1]).toMatchObject({ verdict: 'matched', text: text.slice(0, 200).toWellFormed() });
  });

  it('is found where a contact is looked for that can be written to', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const mail = { event_type: 'email_received', is_dm: true };
    const own = { auto_submitted: false, mailing_list: false, subject: 's' };
    const row = await receive(appId, { ...mail, metadata: own });
    await receive(appId, { ...mail, metadata: { ...own, list_address: 'list@example.com' } });
    await receive(appId, { ...mail, metadata: { ...own, auto_submitted: true } });
    const contacts = packing.get(ContactRepository, { strict: false });
    expect(await contacts.mails([row.contact_id!])).toEqual([{ app_id: appId, message: row.message }]);
    expect(await contacts.privateMessages([row.contact_id!])).toHaveLength(3);
  });

  it('cannot be emptied by a statement that knows nothing of what is packed', async () => {
    const row = await receive(await world.channel({ unknown_senders: 'open' }));
    const emptied = `UPDATE router.message SET message = '{"message": "", "sender": "erased"}' WHERE id = $1`;
    await expect(world.query(emptied, [row.id])).rejects.toThrow('message_text_is_once');
  });
});
