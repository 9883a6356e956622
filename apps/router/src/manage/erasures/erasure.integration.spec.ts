import { until } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RoutingService } from '../../path/routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { ContactErasure } from './erasure.entity.js';

interface Asked {
  service: string;
  receipt_ids?: string[];
  contact_ids?: string[];
  identities?: { sender: string }[];
}

describe('the erasure of a contact', () => {
  let world: RouterWorld;
  let routing: RoutingService;
  let services: Server;
  let asked: Asked[];
  /** What a service answers instead, by its name. */
  let answers: Record<string, { status?: number; open?: number }>;

  beforeAll(async () => {
    [asked, answers] = [[], {}];
    services = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const [, service = '', path = ''] = /^\/(\w+)\/internal\/(.*)$/.exec(request.url ?? '') ?? [];
        const { status = 200, open = 0 } = path === 'erasures' ? (answers[service] ?? {}) : {};
        if (path === 'erasures' && status === 200) asked.push({ service, ...JSON.parse(body) });
        const answer = status === 200 ? { erased: { rows: 1 }, open } : { code: 'away', detail: 'away' };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
    world = await routerWorld();
    const settings = { ERASURE_SWEEP_MS: 50, ERASURE_SETTLE_MS: 1_000 };
    const at = { ENGINE_URL: `${url}/engine`, GATEWAY_URL: `${url}/gateway`, INGRESS_URL: `${url}/ingress` };
    routing = (await world.start({ ...settings, ...at })).get(RoutingService, { strict: false });
  });
  beforeEach(() => {
    asked.length = 0;
    answers = {};
  });
  afterAll(async () => {
    await world.close();
    services.close();
    services.closeAllConnections();
  });

  async function receive(appId: string, sender: string): Promise<{ receipt: string; contact: string }> {
    const job = jobOf(appId, { sender, message: `secret of ${sender}`, metadata: { sender: { id: sender } } });
    await routing.route(job, 1);
    const { contact_id: contact } = await world.row<{ contact_id: string }>(
      'SELECT contact_id FROM router.message WHERE receipt_id = $1',
      [job.receipt_id],
    );
    return { receipt: job.receipt_id, contact };
  }
  const erase = (contact: string, caller: object = {}) =>
    world.call<ContactErasure>('DELETE', `contacts/${contact}/data`, undefined, caller);
  const read = async (contact: string): Promise<ContactErasure> =>
    (await world.call<ContactErasure>('GET', `contacts/${contact}/erasure`)).body;
  const when = (contact: string, what: string, is: (row: ContactErasure) => boolean) =>
    until(what, async () => {
      const row = await read(contact);
      return is(row) ? row : null;
    });

  it('asks each service, empties messages, says so in the timeline, and takes the identities last', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [first, other] = [await receive(app, 'ada'), await receive(app, 'bob')];
    expect((await erase(first.contact)).status).toBe(202);
    await when(first.contact, 'the first pass is over', ({ pass }) => pass === 2);
    // In flight when it was asked for: it is still theirs.
    const late = await receive(app, 'ada');
    expect(late.contact).toBe(first.contact);
    const row = await when(first.contact, 'it has ended', ({ state }) => state === 'done');
    expect(row.report).toMatchObject({ router: { messages: 2, identities: 1, contacts: 1 } });
    expect(asked.flatMap(({ receipt_ids: ids }) => ids ?? []).filter((id) => id === late.receipt)).toHaveLength(3);
    expect(asked.find(({ identities }) => identities)?.identities).toEqual([{ app_id: app, sender: 'ada' }]);
    const left = await world.query<{ sender: string; message: object }>(
      `SELECT message ->> 'sender' AS sender, message FROM router.message WHERE app_id = $1 ORDER BY id`,
      [app],
    );
    expect(left.map(({ sender }) => sender)).toEqual(['erased', 'bob', 'erased']);
    expect(JSON.stringify(left.filter(({ sender }) => sender === 'erased'))).not.toMatch(/"ada"|secret/);
    const entries = await world.query<{ reason: string; detail: object }>(
      `SELECT reason, detail FROM journal.entry WHERE receipt_id = $1 ORDER BY at`,
      [first.receipt],
    );
    expect(entries.at(-1)).toMatchObject({ reason: 'erased', detail: { by: expect.stringMatching(/^\w+:/) } });
    expect(JSON.stringify(entries)).not.toContain('"ada"');
    expect((await world.call('GET', `contacts/${first.contact}`)).body).toMatchObject({
      name: 'Erased contact',
      identities: [],
    });
    expect((await receive(app, 'bob')).contact).toBe(other.contact);
    expect((await receive(app, 'ada')).contact).not.toBe(first.contact);
  });

  it('goes on where a service was away or had work in flight, and does nothing more when it is asked for again', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const { contact } = await receive(app, 'eve');
    answers['gateway'] = { status: 503 };
    await erase(contact);
    const waiting = await when(contact, 'it waits', ({ reason }) => reason !== null);
    expect(waiting).toMatchObject({ state: 'queued', ended_at: null, detail: expect.any(String) });
    answers = { engine: { open: 1 } };
    const hasten = () =>
      world.pool.query(`UPDATE router.contact_erasure SET due_at = now() WHERE contact_id = $1`, [contact]);
    await hasten();
    await when(contact, 'it waits for a turn', ({ reason }) => reason === 'still_open');
    const text = await world.row<{ text: string }>(
      `SELECT message ->> 'message' AS text FROM router.message WHERE app_id = $1`,
      [app],
    );
    expect(text).toEqual({ text: 'secret of eve' });
    answers = {};
    await hasten();
    const row = await when(contact, 'it has ended', ({ state }) => state === 'done');
    asked.length = 0;
    expect((await erase(contact)).body).toEqual(row);
    expect(asked).toEqual([]);
    const audits = await world.query(`SELECT 1 FROM router.audit WHERE action = 'contact.erased' AND subject = $1`, [
      contact,
    ]);
    expect(audits).toHaveLength(1);
  });

  it('takes those that were merged into the contact, and is refused for one of them, a stranger and a reader', async () => {
    const app = await world.channel({ unknown_senders: 'open' });
    const [into, merged] = [await receive(app, 'kim'), await receive(app, 'kim2')];
    await world.call('POST', `contacts/${merged.contact}/merge`, { into: into.contact });
    expect((await erase(merged.contact)).body).toMatchObject({ code: 'contact_merged' });
    expect((await erase(into.contact, { projectId: 'prj_other' })).status).toBe(404);
    expect((await erase(into.contact, { scopes: ['contacts:read', 'events:read'] })).status).toBe(403);
    expect((await world.call('GET', `contacts/${into.contact}/erasure`)).body).toMatchObject({
      code: 'erasure_not_found',
    });
    await erase(into.contact);
    const row = await when(into.contact, 'it has ended', ({ state }) => state === 'done');
    expect(row.report['router']).toEqual({ messages: 2, identities: 2, contacts: 2 });
    const replay = await world.call('POST', `events/${into.receipt}/replay`, {});
    expect(replay.body).toMatchObject({ code: 'event_erased' });
    expect(row).toMatchObject({ contact_id: into.contact });
  });
});
