import { newId } from '#libs/contracts';
import { journaledEvents } from '../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-under-test.js';
import { RetentionRepository } from './retention.repository.js';

const dayMs = 86_400_000;
const oldMs = Date.now() - 31 * dayMs;
const idOf = (kind: 'run' | 'trn', ms: number) =>
  `${kind}_${ms.toString(16).padStart(12, '0')}${newId(kind).slice(kind.length + 13)}`;

let world: RouterWorld;
let rows: RetentionRepository;

beforeAll(async () => {
  world = await routerWorld();
  rows = (await world.start()).get(RetentionRepository, { strict: false });
});

afterAll(() => world.close());

const owner = [caller.organizationId, caller.projectId];
const idsIn = async (table: string) =>
  (await world.rows<{ id: string }>(`SELECT id FROM router.${table}`)).map(({ id }) => id);

describe('the retention of the router', () => {
  it('deletes old messages and claims, and keeps the others', async () => {
    const events = journaledEvents(world, await world.start());
    await events.event({ receivedAtMs: oldMs, message: {} });
    const kept = await events.event({ message: {} });
    await world.pool.query(
      `INSERT INTO router.claim VALUES (gen_random_uuid(), 'old', 'r', now() - interval '31 days'), (gen_random_uuid(), 'new', 'r', now() - interval '29 days')`,
    );
    expect([await rows.deleteOld('message', 30, 10), await rows.deleteOld('claim', 30, 10)]).toEqual([1, 1]);
    expect(await world.rows('SELECT receipt_id FROM router.message')).toEqual([{ receipt_id: kept }]);
    expect(await world.rows('SELECT message_id FROM router.claim')).toEqual([{ message_id: 'new' }]);
  });

  it('keeps a run and a turn that are under way, however old', async () => {
    const ids: Record<string, string> = {};
    for (const state of ['queued', 'suspended', 'running', 'waiting_approval', 'succeeded', 'failed']) {
      ids[state] = idOf('run', oldMs);
      await world.pool.query(
        `INSERT INTO router.run (id, organization_id, project_id, workflow_id, message_id, receipt_id, replay, state, created_at)
         VALUES ($1, $2, $3, 1, $1, 'evt', false, $4, $5)`,
        [ids[state], ...owner, state, new Date(oldMs)],
      );
    }
    for (const state of ['open', 'waiting', 'held', 'cancelled']) {
      ids[state] = idOf('trn', oldMs);
      await world.pool.query(
        `INSERT INTO router.turn (id, organization_id, project_id, app_id, receipt_id, epoch, input, state, cancel_requested, woken_at, created_at)
         VALUES ($1, $2, $3, 'a', 'evt', 0, '{}', $4, false, now(), $5)`,
        [ids[state], ...owner, state, new Date(oldMs)],
      );
    }
    expect([await rows.deleteOld('run', 30, 10), await rows.deleteOld('turn', 30, 10)]).toEqual([2, 1]);
    expect(new Set(await idsIn('run'))).toEqual(
      new Set([ids['queued'], ids['suspended'], ids['running'], ids['waiting_approval']]),
    );
    expect(new Set(await idsIn('turn'))).toEqual(new Set([ids['open'], ids['waiting'], ids['held']]));
  });

  it('deletes old counts, marks and codes', async () => {
    for (const days of [31, 29]) {
      const at = new Date(Date.now() - days * dayMs);
      await world.pool.query(`INSERT INTO router.contact_day VALUES ('con', $1, 1)`, [at]);
      await world.pool.query(`INSERT INTO router.session_mark VALUES ('ses', $1, 'reset', 'key')`, [at]);
      await world.pool.query(`INSERT INTO router.pairing_code VALUES ('app', $1, 'key', $2, NULL)`, [String(days), at]);
    }
    const deleted = [];
    for (const table of ['contact_day', 'session_mark', 'pairing_code'] as const) {
      deleted.push(await rows.deleteOld(table, 30, 10));
    }
    expect(deleted).toEqual([1, 1, 1]);
  });

  it('takes no more rows at a time than it is asked to', async () => {
    await world.pool.query(
      `INSERT INTO router.claim SELECT gen_random_uuid(), n::text, 'r', now() - interval '40 days' FROM generate_series(1, 25) n`,
    );
    expect([await rows.deleteOld('claim', 30, 20), await rows.deleteOld('claim', 30, 20)]).toEqual([20, 5]);
  });
});
