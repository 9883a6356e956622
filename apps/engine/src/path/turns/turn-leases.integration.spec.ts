import { turnRun } from '#libs/contracts';
import { Liveness } from '#libs/database';
import { failingUpdates, until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { TurnRepository } from './turn.repository.js';

describe('the lease of a long turn', () => {
  let world: EngineWorld;
  let model: FakeModel;

  const opened = async () => {
    world = await engineWorld();
    ({ model } = world);
  };
  beforeAll(opened);
  afterAll(() => world.close());

  const turnRow = async (id: string) =>
    (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];
  const thinking = () => {
    const held = Promise.withResolvers<ServerResponse>();
    model.script(held.resolve, 'Answered by the heir.');
    return held.promise;
  };
  const answer = (response: ServerResponse) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: 'chat_1',
        model: 'fake',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Thought through.' }, finish_reason: 'stop' }],
      }),
    );
  const settings = { TURN_LEASE_MS: 1_000, SWEEP_AFTER_MS: 100 };

  it('is renewed past its length, so that nobody takes over the turn', async () => {
    await world.start(settings);
    const question = thinking();
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    const response = await question;
    const first = (await turnRow(turn.turn_id)).lease_until as Date;
    await until('the first lease is over', async () => {
      const { rows } = await world.pool.query('SELECT now() > $1 AS over', [first]);
      return rows[0].over;
    });
    answer(response);
    await until('the turn ends', async () => (await turnRow(turn.turn_id)).state === 'succeeded');
    expect(await turnRow(turn.turn_id)).toMatchObject({ claim: 1, reply_text: 'Thought through.' });
  });

  it.each(['an answer', 'a failure'])(
    'is kept until %s is stored, though Postgres was away for it',
    async (outcome) => {
      const question = thinking();
      const turn = turnOf();
      await world.jobs.enqueue(turnRun, turn);
      const response = await question;
      const failing = await failingUpdates(world.pool, 'engine.turn', `NEW.state <> 'running'`);
      await failing.times(3);
      if (outcome === 'an answer') answer(response);
      else response.writeHead(500).end();
      await until('the turn ends', async () => (await turnRow(turn.turn_id)).state === 'succeeded');
      expect(await turnRow(turn.turn_id)).toMatchObject(
        outcome === 'an answer'
          ? { claim: 1, reply_text: 'Thought through.' }
          : { reply_text: 'Answered by the heir.' },
      );
      expect(await failing.left()).toBe(0);
    },
  );

  it('ends the work of a process that loses it, and only the new owner answers', async () => {
    const question = thinking();
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    const response = await question;
    const dropped = new Promise((resolve) => response.once('close', resolve));
    await world.pool.query(
      "UPDATE engine.turn SET owner = 'engine_frozen', claim = claim + 1, lease_until = now() - interval '1 second' WHERE id = $1",
      [turn.turn_id],
    );
    await dropped;
    await until('the turn ends', async () => (await turnRow(turn.turn_id)).state === 'succeeded');
    expect(await turnRow(turn.turn_id)).toMatchObject({ claim: 3, reply_text: 'Answered by the heir.' });
  });

  it('is void when its process is dead, and not while that is only slow', async () => {
    await world.close();
    await opened();
    const engine = await world.start({
      ...settings,
      TURN_LEASE_MS: 600_000,
      SWEEP_AFTER_MS: 600_000,
      SWEEP_EVERY_MS: 600_000,
    });
    const turns = engine.get(TurnRepository, { strict: false });
    const liveness = engine.get(Liveness, { strict: false });
    const slow = new pg.Client({
      connectionString: world.pool.options.connectionString,
      application_name: 'live_engine_slow',
    });
    await slow.connect();
    const [ofDead, ofSlow, ofUnproven] = [turnOf(), turnOf(), turnOf()];
    await turns.claim(ofDead, 'live_engine_dead');
    await turns.claim(ofSlow, 'live_engine_slow');
    await turns.claim(ofUnproven, 'engine_behind_a_pooler');
    liveness.noteLoss('a test');
    model.script('Gone on with.');
    await until('the turn continues', async () => (await turnRow(ofDead.turn_id)).state === 'succeeded');
    expect(await turnRow(ofDead.turn_id)).toMatchObject({ claim: 2 });
    for (const { turn_id } of [ofSlow, ofUnproven]) {
      expect(await turnRow(turn_id)).toMatchObject({ state: 'running', claim: 1 });
    }
    await slow.end();
    liveness.noteLoss('a test');
    await until('it is taken', async () => (await turnRow(ofSlow.turn_id)).claim === 2);
  });

  it('ends at the wall clock limit, and the turn fails', async () => {
    await world.close();
    await opened();
    await world.start({ ...settings, TURN_WALL_CLOCK_MS: 300 });
    void thinking();
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    await until('the turn ends', async () => (await turnRow(turn.turn_id))?.state === 'failed');
    expect(await turnRow(turn.turn_id)).toMatchObject({ reason: 'turn_timeout', claim: 1 });
  });
});
