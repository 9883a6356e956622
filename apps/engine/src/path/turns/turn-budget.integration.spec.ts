import { newId, turnRun } from '#libs/contracts';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import { home, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServerResponse } from 'node:http';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel, fakeStream } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

/** What each call of the fake model uses. */
const tokensOfCall = 15;
let world: EngineWorld;
let model: FakeModel;
let engines: NestFastifyApplication[];

beforeAll(async () => {
  world = await engineWorld();
  ({ model } = world);
  const settings = { MODEL_MAX_OUTPUT_TOKENS: 16 };
  engines = await Promise.all([world.start(settings), world.start(settings)]);
});
afterAll(() => world.close());

const answer = (response: ServerResponse): void => {
  const stream = fakeStream(response);
  stream.write('done');
  stream.end();
};
const usedBy = async (agentId: string): Promise<number> => {
  const sql =
    'SELECT coalesce(sum(input_tokens + output_tokens), 0)::integer AS n FROM engine.usage WHERE agent_id = $1';
  return (await world.pool.query(sql, [agentId])).rows[0].n;
};
const statesOf = async (agentId: string): Promise<Record<string, number>> => {
  const { rows } = await world.pool.query(
    `SELECT state || coalesce(' ' || reason, '') AS state, count(*)::integer AS n FROM engine.turn WHERE agent_id = $1 GROUP BY 1`,
    [agentId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

it.each(['day', 'month'] as const)(
  '150 turns at once use no more of a %s than as many as it has room for',
  async (span) => {
    const agent_id = await agentOf(world, { caps: { [`${span}_tokens`]: 5 * tokensOfCall } });
    const held: ServerResponse[] = [];
    model.script((response) => void held.push(response));
    const turns = Array.from({ length: 150 }, () => turnOf({ agent_id }));
    await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    await until('one asks the model, and the others wait for it', async () => {
      const { 'queued day_reserved': waiting = 0 } = await statesOf(agent_id);
      return held.length === 1 && waiting === turns.length - 1;
    });
    answer(held[0]!);
    await until('all have ended', async () => {
      const { succeeded = 0, [`failed ${span}_budget_spent`]: spent = 0 } = await statesOf(agent_id);
      return succeeded + spent === turns.length;
    });
    expect(await statesOf(agent_id)).toEqual({ succeeded: 5, [`failed ${span}_budget_spent`]: 145 });
    expect(await usedBy(agent_id)).toBe(5 * tokensOfCall);
    const { rows } = await world.pool.query('SELECT FROM engine.budget_hold WHERE agent_id = $1', [agent_id]);
    expect(rows).toHaveLength(0);
  },
  120_000,
);

it.each(['day', 'month'] as const)(
  '150 turns at once of three agents use no more than the budget of their project for a %s, and another project is not held up',
  async (span) => {
    const limit = async (tokens: number | null): Promise<void> => {
      for (const engine of engines) {
        const limits = engine.get(ProjectLimits, { strict: false });
        await limits.set(home.organizationId, home.projectId, { ...noLimits, [`${span}_tokens`]: tokens });
      }
    };
    const usedToday = async (): Promise<number> => {
      const sql =
        'SELECT coalesce(sum(input_tokens + output_tokens), 0)::integer AS n FROM engine.usage WHERE project_id = $1';
      return (await world.pool.query(sql, [home.projectId])).rows[0].n;
    };
    model.script();
    const before = await usedToday();
    await limit(before + 5 * tokensOfCall);
    const agents = await Promise.all([agentOf(world, {}), agentOf(world, {}), agentOf(world, {})]);
    const turns = Array.from({ length: 150 }, (_, n) => turnOf({ agent_id: agents[n % 3] ?? null }));
    const elsewhere = turnOf({ project_id: newId('prj') });
    await Promise.all([...turns, elsewhere].map((turn) => world.jobs.enqueue(turnRun, turn)));
    await turnsOf(world).reaches(elsewhere.turn_id, 'succeeded');
    const states = async (): Promise<Record<string, number>> => {
      const all = await Promise.all(agents.map(statesOf));
      const sum = (name: string): number => all.reduce((n, each) => n + (each[name] ?? 0), 0);
      return { succeeded: sum('succeeded'), spent: sum(`failed ${span}_budget_spent`) };
    };
    await until('all have ended', async () => Object.values(await states()).reduce((n, each) => n + each, 0) === 150);
    expect(await states()).toEqual({ succeeded: 5, spent: 145 });
    expect(await usedToday()).toBe(before + 5 * tokensOfCall);
    const attention = await world.internal('GET', 'attention', undefined, home);
    expect(attention.body.data).toContainEqual(
      expect.objectContaining({
        code: `${span}_budget_spent`,
        text: expect.stringContaining(`(${span}_tokens of the project)`),
        resource: { kind: 'project', id: home.projectId },
      }),
    );
    await limit(null);
  },
  120_000,
);

it('a turn counts for the day and for the month, which has the days before it', async () => {
  const agent_id = await agentOf(world, { caps: { day_tokens: 100, month_tokens: 100, contact_month_tokens: 60 } });
  const past = async (contact: string, tokens: number, day: string): Promise<void> => {
    await world.pool.query(
      `INSERT INTO engine.usage (project_id, organization_id, day, agent_id, contact_id, model_calls, tool_calls, input_tokens,
              output_tokens, cost_micros)
       VALUES ($1, $2, ${day}, $3, $4, 1, 0, $5, 0, 0)`,
      [home.projectId, home.organizationId, agent_id, contact, tokens],
    );
  };
  const [first, before] = [
    `date_trunc('month', now() AT TIME ZONE 'utc')::date`,
    `date_trunc('month', now() AT TIME ZONE 'utc')::date - 1`,
  ];
  model.script();
  const run = (contact_id: string) => turnsOf(world).run(turnOf({ agent_id }, { contact_id }));
  // The month before is over.
  await past('con_a', 500, before);
  await expect(run('con_a')).resolves.toMatchObject({ state: 'succeeded' });
  await past('con_b', 60, first);
  await expect(run('con_b')).resolves.toMatchObject({ state: 'failed', reason: 'month_budget_spent' });
  await expect(run('con_a')).resolves.toMatchObject({ state: 'succeeded' });
  await past('con_c', 20, first);
  await expect(run('con_a')).resolves.toMatchObject({ state: 'failed', reason: 'month_budget_spent' });
});

it('a turn whose next call has no room beside another ends with an answer without tools', async () => {
  const agent_id = await agentOf(world, { tools: ['query_knowledge_graph'], caps: { day_tokens: 2_500 } });
  const held: ServerResponse[] = [];
  const hold = (response: ServerResponse): void => void held.push(response);
  model.script(hold, hold);
  const [first, second] = [turnOf({ agent_id }), turnOf({ agent_id })];
  await world.jobs.enqueue(turnRun, first);
  await until('the first asks', () => held.length === 1);
  // From here on others have reserved nearly all of it.
  await world.pool.query(
    `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, epoch, input, state, claim)
     VALUES ($1, $2, $3, 'app_x', 'evt_x', 0, '{}', 'running', 1)`,
    [second.turn_id, home.organizationId, home.projectId],
  );
  await world.pool.query(`INSERT INTO engine.budget_hold VALUES ($1, $2, $3, '', 2400, 0)`, [
    second.turn_id,
    home.projectId,
    agent_id,
  ]);
  model.script('The end.');
  const stream = fakeStream(held[0]!);
  stream.call('query_knowledge_graph', { entity: 'sea' });
  stream.end();
  await expect(turnsOf(world).reaches(first.turn_id, 'succeeded')).resolves.toMatchObject({
    reply_text: 'The end.',
    reason: 'budget_spent',
  });
  expect(model.requests.at(-1)?.tools ?? []).toEqual([]);
});

it('what a turn had reserved that runs no more counts for nothing', async () => {
  const agent_id = await agentOf(world, { caps: { day_tokens: 100 } });
  await world.pool.query(`INSERT INTO engine.budget_hold VALUES ('trn_gone', $1, $2, '', 100, 0)`, [
    home.projectId,
    agent_id,
  ]);
  model.script();
  await expect(turnsOf(world).run(turnOf({ agent_id }))).resolves.toMatchObject({ state: 'succeeded' });
});
