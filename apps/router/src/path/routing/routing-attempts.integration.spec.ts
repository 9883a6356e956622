import { newId } from '#libs/contracts';
import { everyEntry, HeldProjects } from '#libs/journal';
import { JobContext } from '#libs/queue';
import { until } from '#libs/testing';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { RoutingHandler } from './routing.handler.js';

describe('the attempts at routing a receipt', () => {
  let world: RouterWorld;
  let handler: RoutingHandler;

  beforeAll(async () => {
    world = await routerWorld();
    handler = (await world.start({ GATEWAY_URL: 'http://127.0.0.1:9' })).get(RoutingHandler, { strict: false });
  });
  afterAll(() => world.close());

  const context = (attempt: number) => new JobContext(['message.route', attempt, Date.now(), (wait) => wait]);
  const entriesOf = (receiptId: string) =>
    world.query<{ outcome: string; attempt: number }>(
      `SELECT outcome, attempt FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY attempt, at`,
      [receiptId],
    );

  it('are recorded, so that nobody starts another chain, and continue from the recorded ones', async () => {
    const { messages, ...job } = jobOf(await world.channel({ unknown_senders: 'open' }), {});
    const receipt_id = newId('evt');
    // Its messages are too large for the job, and the gateway is down.
    await expect(handler.route({ ...job, receipt_id }, context(1))).rejects.toThrow();
    await expect(handler.route({ ...job, receipt_id, custody: { attempts: 1 } }, context(1))).rejects.toThrow();
    await handler.route(
      { ...job, receipt_id, custody: { attempts: 2 }, ...(messages ? { messages } : {}) },
      context(1),
    );
    const entries = await until('all are recorded', async () => {
      const rows = await entriesOf(receipt_id);
      return rows.length === 3 && rows;
    });
    expect(entries).toEqual([
      { outcome: 'retrying', attempt: 1 },
      { outcome: 'retrying', attempt: 2 },
      { outcome: 'routed', attempt: 3 },
    ]);
    await handler.route({ ...job, receipt_id, ...(messages ? { messages } : {}) }, context(1));
    const dead = { payload: { ...job, receipt_id: newId('evt'), custody: { attempts: 2 } }, code: 'x', reason: 'y' };
    await handler.dead(dead, context(20));
    expect(await entriesOf(dead.payload.receipt_id)).toEqual([{ outcome: 'dead', attempt: 22 }]);
    // Routed, and recorded, before.
    expect(await entriesOf(receipt_id)).toHaveLength(3);
  });
  it('come to nothing while the project is held', async () => {
    const job = jobOf(await world.channel({ unknown_senders: 'open' }), {}, { receipt_id: newId('evt') });
    await world.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, held_by) VALUES ($1, $2, 'leaving', 'test')`,
      [job.project_id, job.organization_id],
    );
    try {
      const holds = world.app.get(HeldProjects, { strict: false });
      await until('the router has heard of it', () => holds.of(job.project_id) !== null);
      await handler.route(job, context(1));
      expect(await world.query('SELECT id FROM router.message WHERE receipt_id = $1', [job.receipt_id])).toEqual([]);
    } finally {
      await world.query('DELETE FROM journal.project_hold');
      await until('and of its end', () => world.app.get(HeldProjects, { strict: false }).of(job.project_id) === null);
    }
  });

  it('make the same message and turns again where Postgres has lost what the first one stored', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const job = jobOf(appId, { thread_id: 'lost' }, { receipt_id: newId('evt') });
    const stored = () =>
      world.query<{ id: string; turns: { turn_id: string }[] }>(
        'SELECT id, turns FROM router.message WHERE receipt_id = $1',
        [job.receipt_id],
      );
    await handler.route(job, context(1));
    const first = await stored();
    expect(first).toMatchObject([{ turns: [{ turn_id: expect.stringMatching(/^trn_/) }] }]);
    for (const table of ['router.message', 'router.claim', 'journal.entry']) {
      await world.pool.query(`DELETE FROM ${table} WHERE receipt_id = $1`, [job.receipt_id]);
    }
    await handler.route(job, context(2));
    expect(await stored()).toEqual(first);
  });
});
