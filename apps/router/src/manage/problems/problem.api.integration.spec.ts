import { newId } from '#libs/contracts';
import { type JournaledEvents, journaledEvents } from '../../testing/journaled-events.js';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

interface Problem {
  id: string;
  state: string;
  reason: string;
  count: number;
  open: number;
  people: number;
  parts: number[];
  first_seen: string;
  last_seen: string;
  last_event_id: string;
  marked_by: string | null;
}

let world: RouterWorld;
let events: JournaledEvents;
const path = 'problems';

beforeAll(async () => {
  world = await routerWorld();
  events = journaledEvents(world, await world.start({}));
});
afterAll(() => world.close());

/** A dead letter of a message of this sender. */
const died = async (appId: string, reason: string, sender = 'ada') => {
  const receipt_id = await events.event({ appId, outcome: null, message: { sender } });
  await events.append({ receipt_id, app_id: appId, stage: 'turn', outcome: 'dead', reason, subject_id: newId('trn') });
  return receipt_id;
};
const of = async (appId: string, query = '') =>
  (await world.call<{ data: (Problem & { app_id: string })[] }>('GET', `${path}${query}`)).body.data.filter(
    ({ app_id }) => app_id === appId,
  );
const act = (id: string, verb: string, body: object = {}) => world.call<Problem>('POST', `${path}/${id}/${verb}`, body);
const attention = async (appId: string) => {
  const { data } = (await world.internal<{ data: { resource: { id: string }; count: number }[] }>('GET', 'attention'))
    .body;
  return data.filter(({ resource }) => resource.id === appId).map(({ count }) => count);
};

describe('a problem', () => {
  it('is what failed for one reason, with how many people it hit and when', async () => {
    const app = newId('app');
    await died(app, 'context_length', 'ada');
    await died(app, 'context_length', 'ada');
    const last = await died(app, 'context_length', 'bob');
    await died(app, 'model_refused', 'bob');
    const found = await of(app);
    expect(found.map(({ reason, count, open, people }) => [reason, count, open, people])).toEqual([
      ['model_refused', 1, 1, 1],
      ['context_length', 3, 3, 2],
    ]);
    const { parts, first_seen, last_seen, last_event_id, state } = found[1]!;
    expect([state, last_event_id]).toEqual(['open', last]);
    expect(parts).toHaveLength(28);
    expect(parts.at(-1)).toBe(3);
    expect(Date.parse(first_seen)).toBeLessThanOrEqual(Date.parse(last_seen));
  });

  it('is not heard of while it is muted, and is when that ends', async () => {
    const app = newId('app');
    await died(app, 'context_length');
    const id = (await of(app))[0]?.id ?? '';
    expect(await attention(app)).toEqual([1]);
    expect((await act(id, 'mute', { hours: 2 })).body).toMatchObject({ state: 'muted', marked_by: expect.any(String) });
    await died(app, 'context_length');
    expect(await attention(app)).toEqual([]);
    expect((await of(app, '?state=muted')).map(({ open }) => open)).toEqual([2]);
    await world.query("UPDATE router.problem_mark SET muted_until = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await attention(app)).toEqual([2]);
    expect(await of(app)).toMatchObject([{ state: 'open' }]);
  });

  it('is resolved until its cause comes again', async () => {
    const app = newId('app');
    await died(app, 'context_length');
    const id = (await of(app))[0]?.id ?? '';
    expect((await act(id, 'resolve')).body.state).toBe('resolved');
    expect(await attention(app)).toEqual([]);
    await died(app, 'context_length');
    expect(await of(app)).toMatchObject([{ id, state: 'regressed', open: 2 }]);
    expect(await attention(app)).toEqual([1]);
    expect((await act(id, 'reopen')).body).toMatchObject({ state: 'open', marked_by: null });
    expect(await attention(app)).toEqual([2]);
  });

  it('is resolved by itself once none of its letters waits', async () => {
    const app = newId('app');
    await died(app, 'context_length');
    await world.query("UPDATE journal.dead_letter SET state = 'redriven' WHERE app_id = $1", [app]);
    expect(await of(app)).toMatchObject([{ state: 'resolved', open: 0, count: 1 }]);
    expect(await of(app, '?state=open')).toEqual([]);
  });

  it('cannot be changed where it is not known', async () => {
    expect(await act('prb_none', 'resolve')).toMatchObject({ status: 404, body: { code: 'problem_not_found' } });
    const app = newId('app');
    await died(app, 'context_length');
    const id = (await of(app))[0]?.id ?? '';
    expect((await act(id, 'mute', { hours: 0 })).status).toBe(422);
  });
});
