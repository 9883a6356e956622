import { until } from '#libs/testing';
import { ErasureWorld } from '../../testing/erasure-world.js';
import { jobOf, type RouterWorld } from '../../testing/router-world.js';

describe('the erasure of a contact, beside others and with what comes late,', () => {
  let erasures: ErasureWorld;
  let world: RouterWorld;

  beforeAll(async () => {
    erasures = await ErasureWorld.start();
    ({ world } = erasures);
  });
  beforeEach(() => erasures.forget());
  afterAll(() => erasures.close());

  it('leaves messages, turns, deliveries and the timeline of others whose messages came in the same request', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const job = {
      ...jobOf(app, {}),
      messages: ['ann', 'ben'].map((sender) => ({ ...jobOf(app, { sender, message: `of ${sender}` }).messages[0]! })),
    };
    await erasures.route(job);
    const [ofAnn, ofBen] = await erasures.messagesOf(app);
    const say = (subject: string, stage: string) =>
      world.query(
        `INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal,
           subject_id, attempt, detail)
         SELECT receipt_id, now(), organization_id, project_id, app_id, 'engine', $2, 'dead', false, $3, 1,
                jsonb_build_object('error', 'words of ' || $3) FROM router.message WHERE id = $1`,
        [ofAnn!.id, stage, subject],
      );
    for (const who of ['ann', 'ben']) {
      await say(`trn_${who}`, 'turn');
      await say(`dlv_${who}`, 'delivery');
    }
    erasures.answers['engine'] = { turn_ids: ['trn_ann'], delivery_ids: ['dlv_ann'] };
    await erasures.erase(ofAnn!.contact);
    await erasures.ended(ofAnn!.contact);
    expect((await erasures.messagesOf(app)).map(({ sender, text }) => [sender, text])).toEqual([
      ['erased', ''],
      ['ben', 'of ben'],
    ]);
    const [first] = erasures.asked;
    expect(first).toMatchObject({ receipt_ids: [job.receipt_id], own_receipt_ids: [], message_ids: [ofAnn!.id] });
    const inGateway = erasures.asked.filter(({ service }) => service === 'gateway');
    expect(new Set(inGateway.flatMap(({ delivery_ids: ids }) => ids ?? []))).toEqual(new Set(['dlv_ann']));
    expect(inGateway.flatMap(({ receipt_ids: ids }) => ids ?? [])).toEqual([]);
    const errors = await world.query<{ error: string }>(
      `SELECT detail ->> 'error' AS error FROM journal.entry WHERE receipt_id = $1 AND detail ? 'error' ORDER BY 1`,
      [job.receipt_id],
    );
    expect(errors.map(({ error }) => error)).toEqual(['words of dlv_ben', 'words of trn_ben']);
    // The last of them takes what is left of the event.
    erasures.asked.length = 0;
    await erasures.erase(ofBen!.contact);
    await erasures.ended(ofBen!.contact);
    expect(erasures.asked[0]).toMatchObject({ own_receipt_ids: [job.receipt_id], message_ids: [ofBen!.id] });
    const left = await world.query(`SELECT FROM journal.entry WHERE receipt_id = $1 AND detail ? 'error'`, [
      job.receipt_id,
    ]);
    expect(left).toEqual([]);
  });

  it('erases a message whose sender calls it erased, and keeps no transcript that a sender has written', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const transcripts = [{ attachment_id: 'a', name: 'a.ogg', text: 'pay everything' }];
    const metadata = { erased: 1, transcripts, ticket: 7 };
    await erasures.route(jobOf(app, { sender: 'eli', message: 'secret', metadata }));
    const [stored] = await erasures.messagesOf(app);
    expect(stored!.metadata).toEqual({ ticket: 7 });
    // An earlier release has let it pass.
    await world.query(
      `UPDATE router.message SET message = message || '{"message":"secret","metadata":{"erased":1}}', packed = NULL WHERE id = $1`,
      [stored!.id],
    );
    await erasures.erase(stored!.contact);
    expect((await erasures.ended(stored!.contact)).report['router']).toMatchObject({ messages: 1 });
    expect(await erasures.messagesOf(app)).toMatchObject([{ sender: 'erased', text: '' }]);
  });

  it('takes no other contact in, also not when it is done, and is done once more for what came after it', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [gone, other] = [await erasures.receive(app, 'liv'), await erasures.receive(app, 'max')];
    await world.call('PATCH', `contacts/${gone.contact}`, { reads_as: ['liv@example.com'] });
    await erasures.erase(gone.contact);
    const merge = (id: string, into: string) => world.call('POST', `contacts/${id}/merge`, { into });
    expect(await merge(other.contact, gone.contact)).toMatchObject({ status: 409, body: { code: 'contact_erased' } });
    const row = await erasures.ended(gone.contact);
    expect((await merge(other.contact, gone.contact)).status).toBe(409);
    expect((await merge(gone.contact, other.contact)).status).toBe(409);
    expect((await world.call('GET', `contacts/${gone.contact}`)).body).toMatchObject({ reads_as: [] });
    expect((await world.call('GET', `contacts/${other.contact}`)).body).toMatchObject({ merged: [] });
    // As a merge of an earlier release, or a restored backup, leaves it.
    await world.query('UPDATE router.message SET contact_id = $1 WHERE contact_id = $2', [gone.contact, other.contact]);
    const repeated = await erasures.erase(gone.contact);
    expect(repeated.body).toMatchObject({ state: 'queued', pass: 1, ended_at: null, report: row.report });
    expect((await erasures.ended(gone.contact)).report['router']).toMatchObject({ messages: 2 });
  });

  it('does not end while a message that came with the end is there', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const { contact } = await erasures.receive(app, 'mia');
    await erasures.erase(contact);
    await erasures.firstPass(contact);
    // Routing is about to store one: it holds the identity.
    const routed = await world.pool.connect();
    try {
      await routed.query('BEGIN');
      await routed.query('SELECT FROM router.contact_identity WHERE contact_id = $1 FOR UPDATE', [contact]);
      await erasures.hasten(contact);
      await until('the end waits for it', async () => {
        const { rows } = await world.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%DELETE FROM router.contact_identity%'`,
        );
        return rows.length > 0;
      });
      await routed.query(
        `INSERT INTO router.message SELECT (jsonb_populate_record(m, jsonb_build_object('id', 'msg_late', 'packed', NULL,
           'message', m.message || '{"sender": "mia", "message": "late words"}'))).* FROM router.message m WHERE contact_id = $1`,
        [contact],
      );
      await routed.query('COMMIT');
    } finally {
      routed.release();
    }
    const row = await erasures.when(contact, 'it has ended', ({ state }) => state === 'done');
    expect(row.report['router']).toEqual({ messages: 2, identities: 1, contacts: 1 });
    expect((await erasures.messagesOf(app)).map(({ text }) => text)).toEqual(['', '']);
  });

  it('asks once more for replies of messages that the first pass has emptied', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const { contact } = await erasures.receive(app, 'noa');
    await erasures.erase(contact);
    await erasures.firstPass(contact);
    // Its job had waited.
    erasures.answers['engine'] = { delivery_ids: ['dlv_late'] };
    erasures.asked.length = 0;
    await erasures.ended(contact);
    const taken = erasures.asked.filter(({ service, receipt_ids: ids }) => service === 'gateway' && ids !== undefined);
    expect(taken.map(({ delivery_ids: ids }) => ids)).toEqual([['dlv_late']]);
  });

  it('asks in as many calls as its lists need', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const { contact } = await erasures.receive(app, 'many');
    const ids = Array.from({ length: 1_200 }, (_, at) => `dlv_${at}`);
    erasures.answers['engine'] = { delivery_ids: ids };
    await erasures.erase(contact);
    await erasures.ended(contact);
    const lists = erasures.asked.flatMap(({ service, delivery_ids: some }) =>
      service === 'gateway' && some ? [some] : [],
    );
    expect(new Set(lists.flat())).toEqual(new Set(ids));
    expect(Math.max(...lists.map(({ length }) => length))).toBe(500);
  });
});
