import { newId, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServerResponse } from 'node:http';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';
import { home, until } from '#libs/testing';

describe('the concurrent turns of a project', () => {
  let world: EngineWorld;
  let engines: NestFastifyApplication[];
  let model: FakeModel;
  let agent: string;
  /** Model calls that wait for their answer. */
  const asked: ServerResponse[] = [];

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    engines = [await world.start(), await world.start()];
    agent = await agentOf(world, {});
    model.always((response) => void asked.push(response));
  });
  afterAll(() => world.close());

  const limit = async (concurrent_turns: number | null): Promise<void> => {
    for (const engine of engines) {
      const limits = engine.get(ProjectLimits, { strict: false });
      await limits.set(home.organizationId, home.projectId, { ...noLimits, concurrent_turns });
    }
  };
  const answer = (response: ServerResponse | undefined): void => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    response?.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
  };

  it('are as many as its limit, over all replicas; the others wait, say so, and continue when one ends', async () => {
    await limit(2);
    const turns = Array.from({ length: 6 }, () => turnOf({ agent_id: agent }));
    await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    const held = async (): Promise<number> =>
      (await world.pool.query(`SELECT count(*)::integer AS n FROM engine.turn WHERE reason = 'project_turns'`)).rows[0]
        .n;
    await until('four wait', async () => (await held()) === 4);
    await until('two turns run', () => asked.length === 2);
    const elsewhere = turnOf({ project_id: newId('prj') });
    await world.jobs.enqueue(turnRun, elsewhere);
    await until('another project is not held up', () => asked.length === 3);
    let most = 0;
    for (let ended = 0; ended < 7; ended += 1) {
      await until('a turn runs', () => asked.length > 0);
      most = Math.max(most, asked.length);
      answer(asked.shift());
    }
    expect(most).toBeLessThanOrEqual(3);
    for (const { turn_id } of turns)
      expect((await turnsOf(world).reaches(turn_id, 'succeeded', 'failed')).state).toBe('succeeded');
    const { rows } = await world.pool.query(
      `SELECT subject_id, count(*)::integer AS entries, min(detail ->> 'advice') AS advice FROM ${everyEntry} e
        WHERE reason = 'project_turns' GROUP BY 1`,
    );
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(row).toMatchObject({
        entries: 1,
        advice: expect.stringMatching(/runs 2 turns, which is its limit.*Raise concurrent_turns/),
      });
    }
  });
});
