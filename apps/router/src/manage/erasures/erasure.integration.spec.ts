import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { ErasureWorld } from '../../testing/erasure-world.js';
import { caller, jobOf, type RouterWorld } from '../../testing/router-world.js';

describe('the erasure of a contact', () => {
  let erasures: ErasureWorld;
  let world: RouterWorld;

  beforeAll(async () => {
    erasures = await ErasureWorld.start();
    ({ world } = erasures);
  });
  beforeEach(() => erasures.forget());
  afterAll(() => erasures.close());

  it('asks each service, empties messages, says so in the timeline, and takes the identities last', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [first, other] = [await erasures.receive(app, 'ada'), await erasures.receive(app, 'bob')];
    expect((await erasures.erase(first.contact)).status).toBe(202);
    await erasures.firstPass(first.contact);
    // In flight when it was asked for: it is still theirs.
    const late = await erasures.receive(app, 'ada');
    expect(late.contact).toBe(first.contact);
    const row = await erasures.ended(first.contact);
    expect(row.report).toMatchObject({ router: { messages: 2, identities: 1, contacts: 1 } });
    const askedFor = erasures.asked
      .filter(({ receipt_ids: ids }) => ids?.includes(late.receipt))
      .map(({ service }) => service);
    expect(new Set(askedFor)).toEqual(new Set(['engine', 'gateway', 'ingress']));
    expect(erasures.asked.find(({ identities }) => identities)?.identities).toEqual([{ app_id: app, sender: 'ada' }]);
    const left = await world.messages('WHERE app_id = $1 ORDER BY id', [app]);
    expect(left.map(({ message }) => message.sender)).toEqual(['erased', 'bob', 'erased']);
    expect(JSON.stringify(left.filter(({ message }) => message.sender === 'erased'))).not.toMatch(/"ada"|secret/);
    const bytes = 'SELECT packed IS NULL AS none FROM router.message WHERE app_id = $1 ORDER BY id';
    expect(await world.query(bytes, [app])).toEqual([{ none: true }, { none: false }, { none: true }]);
    const entries = await world.query<{ reason: string; detail: object }>(
      `SELECT reason, detail FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
      [first.receipt],
    );
    expect(entries.at(-1)).toMatchObject({ reason: 'erased', detail: { by: expect.stringMatching(/^\w+:/) } });
    expect(JSON.stringify(entries)).not.toContain('"ada"');
    expect((await world.call('GET', `contacts/${first.contact}`)).body).toMatchObject({
      name: 'Erased contact',
      identities: [],
    });
    expect((await erasures.receive(app, 'bob')).contact).toBe(other.contact);
    expect((await erasures.receive(app, 'ada')).contact).not.toBe(first.contact);
  });

  it('takes the mails that continued a web chat, which have no message of their own, and no event that is only named so', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [mail, others] = [newId('evt'), newId('evt')];
    const continued = (id: string) => ({
      sender: 'user:zoe',
      message: 'By mail.',
      metadata: { sender: { id: 'user:zoe' }, identity: 'mail', message_id: `mail-${id}-0` },
    });
    const [first, second] = [jobOf(app, continued(mail)), jobOf(app, continued(others))];
    for (const job of [first, second]) await erasures.route(job);
    // The gateway says of each mail which event it became; the other one became somebody else's.
    for (const [receipt_id, event] of [
      [mail, first.receipt_id],
      [others, newId('evt')],
    ] as const) {
      await world.query(
        `INSERT INTO journal.entry (receipt_id, organization_id, project_id, app_id, at, service, stage, outcome, terminal,
                                    reason, attempt, detail)
         VALUES ($1, $2, $3, $4, now(), 'adapter-gateway', 'parsed', 'ignored', true, 'continues_web_chat', 1, $5)`,
        [receipt_id, caller.organizationId, caller.projectId, app, JSON.stringify({ event_id: event })],
      );
    }
    const { contact_id: contact } = await world.row<{ contact_id: string }>(
      'SELECT contact_id FROM router.message WHERE receipt_id = $1',
      [first.receipt_id],
    );
    await erasures.erase(contact);
    await erasures.firstPass(contact);
    for (const service of ['ingress', 'gateway']) {
      const ids = erasures.asked.filter((one) => one.service === service).flatMap((one) => one.receipt_ids ?? []);
      expect(ids).toEqual(expect.arrayContaining([first.receipt_id, second.receipt_id, mail]));
      expect(ids).not.toContain(others);
    }
  });

  it('goes on where a service was away or had work in flight, and does nothing more when it is asked for again', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const { contact } = await erasures.receive(app, 'eve');
    erasures.answers['gateway'] = { status: 503 };
    await erasures.erase(contact);
    const waiting = await erasures.when(
      contact,
      'it waits',
      ({ state, reason }) => state === 'queued' && reason !== null,
    );
    expect(waiting).toMatchObject({ state: 'queued', ended_at: null, detail: expect.any(String) });
    erasures.answers = { engine: { open: 1 } };
    await erasures.hasten(contact);
    await erasures.when(contact, 'it waits for a turn', ({ reason }) => reason === 'still_open');
    expect(await erasures.messagesOf(app)).toMatchObject([{ text: 'secret of eve' }]);
    erasures.answers = {};
    await erasures.hasten(contact);
    const row = await erasures.ended(contact);
    erasures.asked.length = 0;
    expect((await erasures.erase(contact)).body).toEqual(row);
    expect(erasures.asked).toEqual([]);
    const audits = await world.query(`SELECT 1 FROM router.audit WHERE action = 'contact.erased' AND subject = $1`, [
      contact,
    ]);
    expect(audits).toHaveLength(1);
  });

  it('takes those that were merged into the contact, and is refused for one of them, a stranger and a reader', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [into, merged] = [await erasures.receive(app, 'kim'), await erasures.receive(app, 'kim2')];
    await world.call('POST', `contacts/${merged.contact}/merge`, { into: into.contact });
    expect((await erasures.erase(merged.contact)).body).toMatchObject({ code: 'contact_merged' });
    expect((await erasures.erase(into.contact, { projectId: 'prj_other' })).status).toBe(404);
    expect((await erasures.erase(into.contact, { scopes: ['contacts:read', 'events:read'] })).status).toBe(403);
    expect((await world.call('GET', `contacts/${into.contact}/erasure`)).body).toMatchObject({
      code: 'erasure_not_found',
    });
    await erasures.erase(into.contact);
    const row = await erasures.ended(into.contact);
    expect(row.report['router']).toEqual({ messages: 2, identities: 2, contacts: 2 });
    const replay = await world.call('POST', `events/${into.receipt}/replay`, {});
    expect(replay.body).toMatchObject({ code: 'event_erased' });
    expect(row).toMatchObject({ contact_id: into.contact });
  });
});
