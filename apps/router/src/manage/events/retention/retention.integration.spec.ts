import { journaledEvents } from '../../../testing/journaled-events.js';
import { type RouterWorld, routerWorld } from '../../../testing/router-world.js';
import { RetentionRepository } from './retention.repository.js';

const dayMs = 86_400_000;
// A message goes with the day of its receipt.
const oldMs = Date.now() - 33 * dayMs;

let world: RouterWorld;
let rows: RetentionRepository;

beforeAll(async () => {
  world = await routerWorld();
  rows = (await world.start()).get(RetentionRepository, { strict: false });
});

afterAll(() => world.close());

describe('the retention of the router', () => {
  it('deletes old messages and claims, and keeps the others', async () => {
    const events = journaledEvents(world, await world.start());
    await events.event({ receivedAtMs: oldMs, message: {} });
    const kept = await events.event({ message: {} });
    await world.pool.query(
      `INSERT INTO router.claim VALUES (gen_random_uuid(), 'old', 'r', now() - interval '31 days'), (gen_random_uuid(), 'new', 'r', now() - interval '29 days')`,
    );
    expect([await rows.deleteOld('message', 30, 10), await rows.deleteOld('claim', 30, 10)]).toEqual([1, 1]);
    expect(await world.query('SELECT receipt_id FROM router.message')).toEqual([{ receipt_id: kept }]);
    expect(await world.query('SELECT message_id FROM router.claim')).toEqual([{ message_id: 'new' }]);
  });

  it('deletes old counts and codes', async () => {
    for (const days of [31, 29]) {
      const at = new Date(Date.now() - days * dayMs);
      await world.pool.query(`INSERT INTO router.contact_day VALUES ('con', $1, 1)`, [at]);
      await world.pool.query(`INSERT INTO router.pairing_code VALUES ('app', $1, 'key', $2, NULL)`, [String(days), at]);
    }
    const deleted = [];
    for (const table of ['contact_day', 'pairing_code'] as const) {
      deleted.push(await rows.deleteOld(table, 30, 10));
    }
    expect(deleted).toEqual([1, 1]);
  });

  it('deletes no more rows at a time than requested', async () => {
    await world.pool.query(
      `INSERT INTO router.claim SELECT gen_random_uuid(), n::text, 'r', now() - interval '40 days' FROM generate_series(1, 25) n`,
    );
    expect([await rows.deleteOld('claim', 30, 20), await rows.deleteOld('claim', 30, 20)]).toEqual([20, 5]);
  });

  it('deletes messages of a project with a shorter retention, and none of another', async () => {
    const events = journaledEvents(world, await world.start());
    const eightDays = Date.now() - 8 * dayMs;
    const [old, foreign] = [
      await events.event({ receivedAtMs: eightDays, message: {} }),
      await events.event({ receivedAtMs: eightDays, message: {} }),
    ];
    const kept = await events.event({ message: {} });
    await world.pool.query(`UPDATE router.message SET project_id = 'prj_other' WHERE receipt_id = $1`, [foreign]);
    const [{ project_id }] = (await world.query(
      `SELECT project_id FROM router.message WHERE receipt_id = '${kept}'`,
    )) as [{ project_id: string }];
    expect(await rows.deleteOldOf(project_id, 7, 10)).toBe(1);
    const rowsLeft = (await world.query('SELECT receipt_id FROM router.message')) as { receipt_id: string }[];
    const left = rowsLeft.map(({ receipt_id }) => receipt_id);
    expect([left.includes(old), left.includes(foreign), left.includes(kept)]).toEqual([false, true, true]);
  });
});
