import { columnsOf, newId } from '#libs/contracts';
import { addCounts } from '#libs/journal';
import { Database } from '#libs/database';
import { type JournaledEvents, journaledEvents } from '../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { MessageRates } from './message-rates.service.js';

let world: RouterWorld;
let events: JournaledEvents;
let db: Database;

beforeAll(async () => {
  world = await routerWorld();
  const router = await world.start();
  events = journaledEvents(world, router);
  db = router.get(Database, { strict: false });
});
afterAll(() => world.close());

const rates = async (minutes: number) =>
  (await world.internal<MessageRates>('GET', `message-rates?minutes=${minutes}`)).body;
const turn = async (outcome: string, reason: string | null = null) => {
  const receipt_id = await events.event({});
  await events.append({ receipt_id, stage: 'turn', outcome: outcome as 'dead', reason, subject_id: newId('trn') });
};

it('message rates count events by the state that lists show, of the last minutes', async () => {
  await turn('dead', 'context_length');
  await turn('held', 'model_unavailable');
  await turn('retrying', 'model_unavailable');
  await events.event({ outcome: 'no_match' });
  await events.event({ outcome: 'dead' });
  await events.event({ outcome: 'verification' });
  await events.event({ outcome: 'dead', receivedAtMs: Date.now() - 30 * 60_000 });
  const other = { organization_id: 'org_2', project_id: 'prj_2' };
  await events.event({ outcome: 'dead', owner: other });
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  await addCounts(db, [
    { ...columnsOf(caller), app_id: 'app_1', minute, measure: 'refused', label: 'invalid_signature', count: 7 },
  ]);
  expect(await rates(10)).toEqual({ events: 5, failed: 2, waiting: 2, refused: 7 });
  expect(await rates(60)).toMatchObject({ events: 6, failed: 3 });
});

it('events since a time are counted by that state, for whoever was away', async () => {
  const since = new Date(Date.now() - 20 * 60_000).toISOString();
  const { body } = await world.call<{ data: object[]; cut: boolean }>('GET', `statistics/states?since=${since}`);
  expect(body).toEqual({
    data: expect.arrayContaining([
      { state: 'waiting', count: 2 },
      { state: 'failed', count: 1 },
      { state: 'no_match', count: 1 },
      { state: 'dead', count: 1 },
    ]),
    cut: false,
  });
  expect(body.data).toHaveLength(4);
  expect((await world.call('GET', 'statistics/states?since=yesterday')).status).toBe(422);
});
