import { columnsOf, makeIds, newId } from '#libs/contracts';
import { Database } from '#libs/database';
import { addCounts, countJournal, joinOldMinutes, latencyClass } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type JournaledEvents, journaledEvents } from '../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { StatisticsSweeps } from './statistics-sweeps.js';
import type { MessageStatisticsView } from './statistics.dto.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let world: RouterWorld;
let router: NestFastifyApplication;
let events: JournaledEvents;
let db: Database;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start();
  events = journaledEvents(world, router);
  db = router.get(Database, { strict: false });
  // The tests count themselves.
  await router.get(StatisticsSweeps, { strict: false }).onModuleDestroy();
});
afterAll(() => world.close());

const statistics = (query: Record<string, string> = {}) =>
  world.call<MessageStatisticsView & { code: string }>(
    'GET',
    `statistics/messages?${new URLSearchParams(query).toString()}`,
  );
/** By outcome, over the whole time. */
const outcomes = async (query: Record<string, string>): Promise<Record<string, number>> =>
  Object.fromEntries((await statistics(query)).body.total.outcomes.map(({ outcome, count }) => [outcome, count]));
const ack = (appId: string, atMs: number, tookMs: number, count: number) => ({
  ...columnsOf(caller),
  app_id: appId,
  minute: new Date(Math.floor(atMs / minuteMs) * minuteMs),
  measure: 'ack_ms' as const,
  label: String(latencyClass(tookMs)),
  count,
});

describe('message statistics', () => {
  it('are the same before and after the journal was counted, and count nothing twice', async () => {
    const app_id = newId('app');
    const atMs = Date.now() - 10 * minuteMs;
    await db.query('UPDATE journal.statistic_mark SET counted_to = $1', [new Date(atMs - minuteMs)]);
    for (const outcome of ['routed', 'routed', 'no_match'] as const) {
      await events.event({ appId: app_id, outcome, receivedAtMs: atMs });
    }
    const receipt_id = await events.event({ appId: app_id, outcome: null, receivedAtMs: atMs });
    const settled = { receipt_id, app_id, subject_id: newId('dlv'), at: new Date(atMs + 2_000) };
    await events.append({ ...settled, stage: 'delivery', outcome: 'retrying', duration_ms: 900 });
    await events.append({ ...settled, stage: 'delivery', outcome: 'delivered', duration_ms: 100 });
    await events.event({ appId: app_id, owner: { organization_id: 'org_2', project_id: 'prj_2' }, receivedAtMs: atMs });

    const before = await outcomes({ app_id });
    expect(before).toEqual({ routed: 2, no_match: 1 });
    while (await countJournal(db, 0));
    expect(await outcomes({ app_id })).toEqual(before);
    await events.event({ appId: app_id, outcome: 'routed' });
    expect(await outcomes({ app_id })).toEqual({ routed: 3, no_match: 1 });

    const { total } = (await statistics({ app_id })).body;
    expect(total.deliveries).toEqual([{ label: 'delivered', count: 1 }]);
    expect(total.delivery).toMatchObject({ count: 1 });
    expect(total.delivery.p50_ms).toBeGreaterThan(90);
    expect(total.delivery.p50_ms).toBeLessThan(151);
    expect(total.reply.p99_ms).toBeGreaterThan(1_900);
    expect(total.reply.p99_ms).toBeLessThan(3_001);
  });

  it('measure the replies to events of both forms of ids', async () => {
    const app_id = newId('app');
    for (const form of ['long', 'short'] as const) {
      makeIds(form);
      const receipt_id = await events.event({ appId: app_id, outcome: null });
      expect(receipt_id).toHaveLength(form === 'long' ? 36 : 26);
      const sent = { receipt_id, app_id, subject_id: newId('dlv'), duration_ms: 100 };
      await events.append({ ...sent, stage: 'delivery', outcome: 'delivered', at: new Date(Date.now() + 1) });
    }
    expect((await statistics({ app_id })).body.total.reply).toMatchObject({ count: 2 });
  });

  it('contain every step, and list Apps separately', async () => {
    const [one, two] = [newId('app'), newId('app')];
    const atMs = Date.now() - 5 * minuteMs;
    await addCounts(db, [ack(one, atMs, 3, 99), ack(one, atMs, 700, 1), ack(two, atMs, 5, 7)]);
    await addCounts(db, [ack(two, atMs, 5, 1)]);
    const { status, body } = await statistics({ step: 'minute', from: new Date(atMs - 20 * minuteMs).toISOString() });
    expect(status).toBe(200);
    expect(body.series.length).toBeGreaterThanOrEqual(25);
    const busy = body.series.filter(({ received }) => received > 0);
    expect(busy.map(({ received }) => received)).toEqual([108]);
    expect(new Date(busy[0]?.at ?? 0).getTime()).toBe(Math.floor(atMs / minuteMs) * minuteMs);
    const received = Object.fromEntries(body.apps.map(({ app_id, received: count }) => [app_id, count]));
    expect(received).toMatchObject({ [one]: 100, [two]: 8 });
    const { ack: answers } = body.apps.find(({ app_id }) => app_id === one)!;
    expect(answers.p50_ms).toBeLessThan(4.1);
    expect(answers.p50_ms).toBeGreaterThan(2.9);
  });

  it('contain received messages at once, though their answers are counted later, and never twice', async () => {
    const app_id = newId('app');
    const atMs = Date.now();
    const received = async (): Promise<number> => (await statistics({ app_id })).body.total.received;
    for (const outcome of ['accepted', 'accepted', 'verification']) {
      const receipt_id = newId('evt');
      await world.pool.query(
        `INSERT INTO ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome, method, url, headers, body,
           remote_address) VALUES ($1, $2, $3, $4, $5, 'accepted', 'POST', '', '', '', '127.0.0.1')`,
        [receipt_id, new Date(atMs), caller.organizationId, caller.projectId, app_id],
      );
      if (outcome === 'verification') {
        await events.append({ receipt_id, app_id, stage: 'received', outcome, at: new Date(atMs) });
      }
    }
    expect(await received()).toBe(2);
    await addCounts(db, [ack(app_id, atMs, 5, 1)]);
    expect(await received()).toBe(2);
    // One of them came twice under the same key.
    await addCounts(db, [ack(app_id, atMs, 5, 2)]);
    expect(await received()).toBe(3);
  });

  it('are kept by the hour once they are old', async () => {
    const app = newId('app');
    const kind = `ack_ms:${latencyClass(5)}`;
    const atMs = Math.floor((Date.now() - 9 * dayMs) / 3_600_000) * 3_600_000;
    await addCounts(db, [
      ack(app, atMs, 5, 2),
      ack(app, atMs + 7 * minuteMs, 5, 3),
      ack(app, atMs + 61 * minuteMs, 5, 1),
    ]);
    await joinOldMinutes(db, 7);
    expect(
      await world.query('SELECT minute, counts FROM journal.statistic WHERE app_id = $1 ORDER BY 1', [app]),
    ).toEqual([
      { minute: new Date(atMs), counts: { [kind]: 5 } },
      { minute: new Date(atMs + 60 * minuteMs), counts: { [kind]: 1 } },
    ]);
    const span = { from: new Date(atMs).toISOString(), to: new Date(atMs + 120 * minuteMs).toISOString(), app_id: app };
    expect((await statistics(span)).body).toMatchObject({ step: 'hour', series: [{ received: 5 }, { received: 1 }] });
    expect((await statistics({ ...span, step: 'minute' })).body.code).toBe('step_too_fine');
  });

  it.each([
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'invalid_fields'],
    [{ from: '2000-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z', step: 'hour' }, 'too_many_steps'],
    [{ step: 'week' }, 'invalid_fields'],
  ])('of %j are refused: %s', async (query, code) => {
    expect(await statistics(query)).toMatchObject({ status: 422, body: { code } });
  });
});
