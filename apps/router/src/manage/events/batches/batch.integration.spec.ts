import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import { type JournaledEvents, journaledEvents, type Neighbour, neighbour } from '../../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../../testing/router-world.js';

interface Progress {
  id: string;
  kind: string;
  state: string;
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  more: boolean;
  failures: { id: string; error: string }[];
  became: { outcome: string; count: number }[];
}

let world: RouterWorld;
let events: JournaledEvents;
let ingress: Neighbour;

beforeAll(async () => {
  world = await routerWorld();
  ingress = await neighbour();
  events = journaledEvents(world, await world.start({ INGRESS_URL: ingress.url, EVENT_BATCH_MAX: 30 }));
});

afterAll(async () => {
  await world.close();
  await ingress.close();
});

const replayMany = (body: object, headers = {}) => world.call<Progress>('POST', 'events/replay', body, { headers });
const finished = (id: string) =>
  until('the batch is finished', async () => {
    const { body } = await world.call<Progress>('GET', `events/batches/${id}`);
    return body.state === 'finished' ? body : null;
  });
const turnsOf = (appId: string) =>
  world.query<{ payload: { input: { reply: unknown } } }>(
    `SELECT payload FROM router.stale_handover WHERE payload ->> 'app_id' = $1`,
    [appId],
  );

describe('a bulk replay', () => {
  it('routes the events of a filter again, and shows its progress', async () => {
    for (let count = 0; count < 25; count += 1) await events.event({ appId: 'app_bulk', message: { sender: 'ada' } });
    await events.event({ appId: 'app_bulk', message: { sender: 'bo' } });
    const { status, body } = await replayMany({ app_id: 'app_bulk', sender: 'ada' });
    expect({ status, ...body }).toMatchObject({
      status: 202,
      kind: 'replay',
      state: 'running',
      total: 25,
      more: false,
    });
    expect(await finished(body.id)).toMatchObject({ total: 25, done: 25, failed: 0, failures: [] });
    expect(await turnsOf('app_bulk')).toHaveLength(25);
  });

  it('takes the newest events up to its limit, and says that there are more', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 32; count += 1) ids.push(await events.event({ appId: 'app_max' }));
    const { body } = await replayMany({ app_id: 'app_max' });
    expect(body).toMatchObject({ total: 30, more: true });
    await finished(body.id);
    const woken = ingress.asked.filter((path) => ids.some((id) => path.includes(id)));
    expect(woken.toSorted()).toEqual(ids.slice(2).map((id) => `/internal/receipts/${id}/enqueue`));
  });

  it('refuses the paging of a list, which would not bound it', async () => {
    expect((await replayMany({ limit: 1 })).status).toBe(422);
    expect((await world.call('POST', 'events/dead-letters/redrive', { state: 'open' })).status).toBe(422);
  });

  it('starts once for one Idempotency-Key', async () => {
    await events.event({ appId: 'app_key', message: {} });
    const headers = { 'idempotency-key': newId('req') };
    const [first, second] = [
      await replayMany({ app_id: 'app_key' }, headers),
      await replayMany({ app_id: 'app_key' }, headers),
    ];
    expect(second.body.id).toBe(first.body.id);
    expect((await replayMany({ app_id: 'app_key', deliver: true }, headers)).status).toBe(422);
    await finished(first.body.id);
    expect(await turnsOf('app_key')).toHaveLength(1);
  });

  it('says which events failed, and why, and continues', async () => {
    await events.event({ appId: 'app_fail' });
    await events.event({ appId: 'app_fail', message: {} });
    ingress.answers(404);
    const { body } = await replayMany({ app_id: 'app_fail' });
    const progress = await finished(body.id);
    ingress.answers(202);
    expect(progress).toMatchObject({ done: 1, failed: 1, failures: [{ error: 'event_not_found: gone' }] });
  });

  it('does not repeat an event that a killed process may have replayed', async () => {
    const [done, left] = [
      await events.event({ appId: 'app_killed', message: {} }),
      await events.event({ appId: 'app_killed', message: {} }),
    ];
    const id = newId('bat');
    await world.pool.query(
      `WITH made AS (INSERT INTO journal.batch VALUES ($1, $2, $3, 'replay', false, 'key:test', now()))
       INSERT INTO journal.batch_item VALUES ($1, $4, 'running', NULL, now() - interval '1 s'), ($1, $5, 'waiting', NULL, NULL)`,
      [id, caller.organizationId, caller.projectId, done, left],
    );
    expect(await finished(id)).toMatchObject({ done: 1, failed: 1, failures: [{ id: done }] });
    expect(await turnsOf('app_killed')).toHaveLength(1);
  });

  it('is divided between routers, each event replayed once', async () => {
    const second = await world.start({ INGRESS_URL: ingress.url, EVENT_BATCH_MAX: 30 });
    for (let count = 0; count < 30; count += 1) await events.event({ appId: 'app_two', message: {} });
    const { body } = await replayMany({ app_id: 'app_two' });
    expect(await finished(body.id)).toMatchObject({ done: 30 });
    expect(await turnsOf('app_two')).toHaveLength(30);
    expect(second).toBeDefined();
  });

  it('can be cancelled: events that it has not begun are left out', async () => {
    const id = newId('bat');
    await world.pool.query(
      `WITH made AS (INSERT INTO journal.batch VALUES ($1, $2, $3, 'replay', false, 'key:test', now()))
       INSERT INTO journal.batch_item SELECT $1, 'evt_' || n, 'waiting', NULL, NULL FROM generate_series(1, 2000) n`,
      [id, caller.organizationId, caller.projectId],
    );
    expect((await world.call('POST', `events/batches/${id}/cancel`)).status).toBe(200);
    const { total, done, cancelled } = await finished(id);
    expect({ total, sum: done + cancelled }).toEqual({ total: 2_000, sum: 2_000 });
    expect(cancelled).toBeGreaterThan(0);
  });

  it('of another project is not found', async () => {
    const id = newId('bat');
    await world.pool.query(`INSERT INTO journal.batch VALUES ($1, $2, $3, 'replay', false, 'key:test', now())`, [
      id,
      newId('org'),
      newId('prj'),
    ]);
    expect((await world.call('GET', `events/batches/${id}`)).status).toBe(404);
    expect((await world.call('POST', `events/batches/${id}/cancel`)).status).toBe(404);
  });
});

describe('a bulk redrive', () => {
  it('redrives the open dead letters of a filter, each once', async () => {
    const ids = [newId('evt'), newId('evt'), newId('evt')];
    const reasons = ['timeout', 'timeout', 'contract_violation'];
    for (const [index, receipt_id] of ids.entries()) {
      await events.append({
        receipt_id,
        app_id: 'app_dead',
        stage: 'parsed',
        outcome: 'dead',
        reason: reasons[index] ?? null,
      });
    }
    const path = 'events/dead-letters/redrive';
    const { body } = await world.call<Progress>('POST', path, { app_id: 'app_dead', reason: 'timeout' });
    expect(body).toMatchObject({ kind: 'redrive', total: 2 });
    expect(await finished(body.id)).toMatchObject({ done: 2, failed: 0 });
    await until('the ingress is asked for both', () =>
      ids.slice(0, 2).every((id) => ingress.asked.some((asked) => asked.includes(id))),
    );
    expect(ingress.asked.some((asked) => asked.includes(ids[2]!))).toBe(false);
    expect((await finished(body.id)).became).toEqual([{ outcome: 'redriving', count: 2 }]);
    await events.append({ receipt_id: ids[0]!, app_id: 'app_dead', stage: 'parsed', outcome: 'dead' });
    await until('it is known that one of them died again', async () => {
      const { became } = await finished(body.id);
      return became.length === 2 && became.some(({ outcome, count }) => outcome === 'dead' && count === 1);
    });
    const repeated = await world.call<Progress>('POST', path, { app_id: 'app_dead', reason: 'timeout' });
    expect(repeated.body.total).toBe(0);
  });
});
