import { turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';

describe('the attempts of a turn', () => {
  let world: EngineWorld;
  let model: FakeModel;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    const settings = { SWEEP_EVERY_MS: 100, SWEEP_AFTER_MS: 1_000 };
    await Promise.all([world.start(settings), world.start(settings)]);
  });
  afterAll(() => world.close());

  const rowOf = async (id: string) => (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];

  it('are one chain, each numbered once, however often its job is added and whoever sweeps', async () => {
    model.always((response) => response.setHeader('content-type', 'application/json').end('{"choices": 7'));
    const turn = turnOf();
    const tried: number[] = [];
    await until('it was tried three times', async () => {
      await world.jobs.enqueue(turnRun, turn);
      const { rows } = await world.pool.query<{ attempt: number }>(
        `SELECT attempt FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'retrying' ORDER BY at`,
        [turn.turn_id],
      );
      tried.splice(0, tried.length, ...rows.map(({ attempt }) => attempt));
      return tried.length >= 3;
    });
    model.always(null);
    await until('the turn ends', async () => (await rowOf(turn.turn_id)).state === 'succeeded');
    expect(tried.slice(0, 3)).toEqual([1, 2, 3]);
    const { rows } = await world.pool.query<{ attempt: number; outcome: string }>(
      `SELECT attempt, outcome FROM ${everyEntry} e WHERE subject_id = $1 AND outcome IN ('retrying', 'succeeded') ORDER BY attempt`,
      [turn.turn_id],
    );
    expect(rows.map(({ attempt }) => attempt)).toEqual(rows.map((_row, index) => index + 1));
  });

  it('leave no job behind that retries endlessly while a process has the turn', async () => {
    const answering = Promise.withResolvers<ServerResponse>();
    model.script(answering.resolve);
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    const response = await answering.promise;
    for (let round = 0; round < 5; round += 1)
      await world.jobs.enqueue(turnRun, { ...turn, custody: { attempts: 100 + round } });
    await until('only its own job is left', async () => {
      const { waiting, active, delayed } = await world.jobs.depth(turnRun.queue);
      return waiting + active + delayed === 1;
    });
    response.destroy();
    await until('the turn ends', async () => (await rowOf(turn.turn_id)).state === 'succeeded');
  });
});
