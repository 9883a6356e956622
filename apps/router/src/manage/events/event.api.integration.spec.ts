import { newId, type NormalizedMessage } from '#libs/contracts';
import { OperationsServer } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type JournaledEvents, journaledEvents, type Neighbour, neighbour } from '../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-world.js';

interface Listed {
  data: { id: string; outcome: string | null; sender?: string; event_type?: string; text?: string }[];
  next_cursor: string | null;
}

let world: RouterWorld;
let events: JournaledEvents;
let ingress: Neighbour;
let router: NestFastifyApplication;
const list = async (query: string) => (await world.call<Listed>('GET', `events?${query}`)).body;
const idsOf = (page: Listed) => page.data.map(({ id }) => id);

beforeAll(async () => {
  world = await routerWorld();
  ingress = await neighbour();
  router = await world.start({ INGRESS_URL: ingress.url, EVENT_SEARCH_SCAN: 500 });
  events = journaledEvents(world, router);
});

afterAll(async () => {
  await world.close();
  await ingress.close();
});

describe('the list of events', () => {
  it('shows the newest first, with outcome and message, page after page', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift(await events.event({ appId: 'app_pages', message: { message: `text ${count}`, sender: 'bo' } }));
    }
    const first = await list('app_id=app_pages&limit=3');
    expect(idsOf(first)).toEqual(ids.slice(0, 3));
    expect(first.data[0]).toMatchObject({
      outcome: 'routed',
      sender: 'bo',
      event_type: 'message_received',
      text: 'text 4',
    });
    const second = await list(`app_id=app_pages&limit=3&cursor=${first.next_cursor}`);
    expect({ ids: idsOf(second), next: second.next_cursor }).toEqual({ ids: ids.slice(3), next: null });
  });

  it.each(['', '&sender=bo'])('can be read from its other end by ?order=asc%s', async (filter) => {
    const appId = `app_order${filter.length}`;
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await events.event({ appId, message: { sender: 'bo' } }));
    const first = await list(`app_id=${appId}&order=asc&limit=2${filter}`);
    const second = await list(`app_id=${appId}&order=asc&limit=2${filter}&cursor=${first.next_cursor}`);
    expect([idsOf(first), idsOf(second), second.next_cursor]).toEqual([ids.slice(0, 2), ids.slice(2), null]);
  });

  it.each(['dead', 'routed', 'held_unknown_sender', 'duplicate'] as const)(
    'filters by the outcome %s',
    async (outcome) => {
      const appId = `app_${outcome}`;
      const wanted = await events.event({ appId, outcome });
      await events.event({ appId, outcome: outcome === 'routed' ? 'dead' : 'routed' });
      await events.event({ appId, outcome: null });
      expect(idsOf(await list(`app_id=${appId}&outcome=${outcome}`))).toEqual([wanted]);
    },
  );

  it('filters by the contact that wrote', async () => {
    const [contact, other] = [newId('con'), newId('con')];
    const [own, theirs] = [await events.event({ message: {} }), await events.event({ message: {} })];
    await world.pool.query('UPDATE router.message SET contact_id = $2 WHERE receipt_id = $1', [own, contact]);
    await world.pool.query('UPDATE router.message SET contact_id = $2 WHERE receipt_id = $1', [theirs, other]);
    await world.pool.query(
      `INSERT INTO router.contact (id, organization_id, project_id, name, status, created_at, updated_at)
       VALUES ($1, $2, $3, 'Ada', 'known', now(), now())`,
      [contact, caller.organizationId, caller.projectId],
    );
    expect(idsOf(await list(`contact_id=${contact}`))).toEqual([own]);
    const { body } = await world.call('GET', `events/${own}`);
    expect(body).toMatchObject({ contacts: [{ id: contact, name: 'Ada', status: 'known' }], text: 'It was routed.' });
  });

  it.each([
    [null, null, 'It is still being processed.'],
    ['no_match', 'no_trigger_matched', 'Every trigger of the App filtered it out: see the verdicts.'],
    ['ignored', 'unknown_sender', 'the channel drops such messages.'],
  ] as const)('says in words why one ended as %s (%s)', async (outcome, reason, words) => {
    const id = await events.event({ outcome: null });
    if (outcome) await events.append({ receipt_id: id, stage: 'routed', outcome, reason });
    expect((await world.call<{ text: string }>('GET', `events/${id}`)).body.text).toContain(words);
  });

  it('says in words what one waits for that has not ended', async () => {
    const id = await events.event({ outcome: null });
    await events.append({ receipt_id: id, stage: 'parsed', outcome: 'retrying', reason: 'not_connected' });
    const text = 'It waits for its credential to be connected.';
    expect((await world.call('GET', `events/${id}`)).body).toMatchObject({ outcome: null, text, why: text });
  });

  it('names the adapter that one waits for, since when and why, on its page and in the list', async () => {
    const appId = newId('app');
    const id = await events.event({ appId, outcome: null });
    const error = 'the adapter acme: not ready since 2026-01-01T10:00Z, because it answered 503';
    await events.append({
      receipt_id: id,
      stage: 'parsed',
      outcome: 'retrying',
      reason: 'adapter_unready',
      detail: { error },
    });
    const shown = { outcome: null, state: 'waiting', why: `It waits for ${error}.` };
    expect((await world.call('GET', `events/${id}`)).body).toMatchObject({ ...shown, text: shown.why });
    for (const query of [`app_id=${appId}`, `app_id=${appId}&outcome=open`]) {
      expect(await list(query)).toMatchObject({ data: [{ id, ...shown }] });
    }
    await events.append({ receipt_id: id, stage: 'parsed', outcome: 'running' });
    expect(await list(`app_id=${appId}`)).toMatchObject({ data: [{ state: 'open' }] });
  });

  it('finds what has not ended', async () => {
    const open = await events.event({ appId: 'app_open', outcome: null });
    await events.event({ appId: 'app_open' });
    expect(idsOf(await list('app_id=app_open&outcome=open'))).toEqual([open]);
  });

  it('shows the last outcome of an event that ended again', async () => {
    const id = await events.event({ appId: 'app_again', outcome: 'dead' });
    await events.append({
      receipt_id: id,
      app_id: 'app_again',
      stage: 'routed',
      outcome: 'routed',
      at: new Date(Date.now() + 5),
    });
    expect((await list('app_id=app_again')).data).toMatchObject([{ id, outcome: 'routed' }]);
    expect((await list('app_id=app_again&outcome=dead')).data).toEqual([]);
    expect((await world.call<{ outcome: string }>('GET', `events/${id}`)).body.outcome).toBe('routed');
  });

  it('filters by time', async () => {
    const at = (hour: number) => Date.UTC(2026, 0, 1, hour);
    const ids = [];
    for (const hour of [1, 2, 3]) ids.push(await events.event({ appId: 'app_time', receivedAtMs: at(hour) }));
    expect(idsOf(await list('app_id=app_time&since=2026-01-01T02:00:00Z&until=2026-01-01T03:00:00Z'))).toEqual([
      ids[1],
    ]);
  });

  it('searches text, sender and event type', async () => {
    const with_ = (message: Partial<NormalizedMessage>) => events.event({ appId: 'app_search', message });
    const invoice = await with_({ message: 'Your INVOICE of 100 % is due', sender: 'carol', event_type: 'email' });
    const other = await with_({ message: 'nothing', sender: 'carol', event_type: 'chat' });
    expect(idsOf(await list('app_id=app_search&text=invoice%20of'))).toEqual([invoice]);
    expect(idsOf(await list('app_id=app_search&text=100%20%25'))).toEqual([invoice]);
    expect(idsOf(await list('app_id=app_search&text=%25%25'))).toEqual([]);
    expect(idsOf(await list('app_id=app_search&sender=carol'))).toEqual([other, invoice]);
    expect(idsOf(await list('app_id=app_search&sender=carol&event_type=chat'))).toEqual([other]);
  });

  it('continues a search on the next page where one request has searched enough', async () => {
    const rare = await events.event({ appId: 'app_far', message: { message: 'needle' } });
    await Promise.all(Array.from({ length: 505 }, () => events.event({ appId: 'app_far' })));
    const first = await list('app_id=app_far&text=needle');
    expect(first.data).toEqual([]);
    expect(idsOf(await list(`app_id=app_far&text=needle&cursor=${first.next_cursor}`))).toEqual([rare]);
  });

  it.each([
    ['since=yesterday', 'since'],
    ['outcome=refused', 'outcome'],
    ['limit=100000', 'limit'],
    ['text=a', 'text'],
    ['order=up', 'order'],
    ['colour=red', 'colour'],
  ])('refuses %s by name', async (query, field) => {
    const { status, body } = await world.call<{ errors: { field: string }[] }>('GET', `events?${query}`);
    expect({ status, fields: body.errors.map((error) => error.field) }).toEqual({ status: 422, fields: [field] });
  });
});

describe('an event', () => {
  it('has its timeline in order', async () => {
    const id = await events.event({ message: {} });
    const { body } = await world.call<{ timeline: { stage: string }[]; messages: object[] }>('GET', `events/${id}`);
    expect(body.timeline.map(({ stage }) => stage)).toEqual(['received', 'routed']);
    expect(body.messages).toHaveLength(1);
  });

  it.each([
    ['another organization', () => ({ organization_id: newId('org'), project_id: caller.projectId })],
    ['another project', () => ({ organization_id: caller.organizationId, project_id: newId('prj') })],
  ])('of %s is not found', async (_whose, owner) => {
    const id = await events.event({ appId: 'app_theirs', message: {}, owner: owner() });
    expect((await list('app_id=app_theirs')).data).toEqual([]);
    expect((await world.call('GET', `events/${id}`)).status).toBe(404);
  });

  it('without a message is replayed from its receipt', async () => {
    const id = await events.event({ outcome: 'dead' });
    const { status, body } = await world.call('POST', `events/${id}/replay`, {});
    expect({ status, body }).toEqual({ status: 202, body: { replayed: 'receipt', run_ids: [], turn_ids: [] } });
    expect(ingress.asked).toContain(`/internal/receipts/${id}/enqueue`);
  });
});

describe('outcomes', () => {
  it('are counted in the metrics by stage and outcome', async () => {
    const metrics = async () => (await router.get(OperationsServer).http.inject('/metrics')).body;
    await events.event({ outcome: 'loop_paused' });
    expect(await metrics()).toMatch(
      /gatehouse_outcomes_total\{stage="routed",outcome="loop_paused",service="router"\} \d/,
    );
  });
});
