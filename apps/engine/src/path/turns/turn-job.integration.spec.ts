import { deliverySend, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';
import { turnsOf } from '../../testing/turns-of.js';
import { stepsOf } from '../steps/step-log.js';

describe('a turn', () => {
  let world: EngineWorld;

  beforeAll(async () => {
    world = await engineWorld();
  });
  afterAll(() => world.close());

  const turnRow = async (id: string) =>
    (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];
  const ended = (id: string) =>
    until(`turn ${id} ends`, async () => {
      const row = await turnRow(id);
      return ['succeeded', 'failed'].includes(row?.state) && row;
    });

  it('answers, stores its steps and its reply, and offers the reply', async () => {
    await world.start(rehearsal);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    expect(await ended(turn.turn_id)).toMatchObject({ state: 'succeeded', claim: 1, owner: null });
    expect((await turnsOf(world).steps(turn.turn_id)).map(({ kind }) => kind)).toEqual(['model_call']);
    const delivery = await until('the reply is offered', async () =>
      (await world.waiting(deliverySend)).find((job) => job.turn_id === turn.turn_id),
    );
    expect(delivery.content).toEqual({
      text: 'Rehearsal model (no model is configured). Message from ada: "hello there"',
      target: turn.input?.reply,
    });
    const entries = await world.pool.query(`SELECT * FROM ${everyEntry} e WHERE subject_id = $1`, [turn.turn_id]);
    expect(entries.rows).toMatchObject([{ stage: 'turn', outcome: 'succeeded' }]);
  });

  it('runs once, even if its job is added five times and two workers take it', async () => {
    await world.start(rehearsal);
    const turns = Array.from({ length: 20 }, () => turnOf());
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    }
    for (const turn of turns) await ended(turn.turn_id);
    const counts = await until('every job was taken', async () => {
      const depth = await world.jobs.depth('turns');
      return depth.waiting + depth.active + depth.delayed === 0;
    });
    expect(counts).toBe(true);
    const { rows } = await world.pool.query(
      `SELECT count(*)::int AS steps, count(DISTINCT t.answer_id)::int AS replies
         FROM engine.turn t CROSS JOIN LATERAL ${stepsOf('t.id')} s WHERE t.id = ANY($1)`,
      [turns.map((turn) => turn.turn_id)],
    );
    expect(rows[0]).toEqual({ steps: 20, replies: 20 });
    const attempts = await world.pool.query('SELECT DISTINCT claim FROM engine.turn');
    expect(attempts.rows).toEqual([{ claim: 1 }]);
  });
});
