import { home } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { type FakeServices, toolOf, toolsetOf } from '../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('an agent with more tools than its model is shown', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let services: FakeServices;
  let agent: string;
  const names = ['list', 'rename', 'archive', 'refund_order', 'cancel_order', 'weather'];

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, services } = world);
    services.on('/internal/toolsets', () => toolsetOf(names.map((name) => toolOf({ name }))));
    services.on('/internal/tool-calls', ({ body }) => ({
      ok: true,
      content: `called ${String(body['tool_id'])}`,
      is_error: false,
      truncated: false,
    }));
    agent = await agentOf(world, { skills: ['skl_desk'] });
    await world.start({
      TURN_MAX_TOOLS: 4,
      TURN_FOUND_TOOLS: 2,
    });
  });
  afterAll(() => world.close());

  const find = (query: string, limit = 5) => ({ name: 'find_tools', arguments: JSON.stringify({ query, limit }) });
  const call = (name: string) => ({ name: `desk__${name}`, arguments: '{}' });
  const shownIn = (request: number) =>
    model.requests[request]?.tools?.map((tool) => tool.function.name.replace('desk__', '')) ?? [];
  const always = ['list', 'rename', 'find_tools', 'read_result'];

  it('finds the others by a search, and calls them from the next step on', async () => {
    model.script([call('refund_order')], [find('refund an order', 1)], [call('refund_order')], 'Refunded.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    const [before, search, after] = await turnsOf(world).results(turn.turn_id);
    expect(before.error).toMatchObject({ code: 'unknown_tool', message: expect.stringContaining('find_tools') });
    expect(search).toMatchObject({ tools: [{ name: 'desk__refund_order', skill: 'desk' }], more: 1 });
    expect(after).toEqual({ content: 'called tol_refund_order' });
    expect([0, 1, 2].map(shownIn)).toEqual([always, always, [...always, 'refund_order']]);
    expect(JSON.stringify(model.requests[0]?.tools)).toContain('4 are not listed here (desk: 4)');
  });

  it('is shown no more at once than the limit, and may call what it found before', async () => {
    model.script(
      [find('order')],
      [find('weather')],
      [call('cancel_order'), call('refund_order'), call('weather')],
      'Done.',
    );
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    expect(shownIn(1)).toEqual([...always, 'refund_order', 'cancel_order']);
    expect(shownIn(2)).toEqual([...always, 'cancel_order', 'weather']);
    const results = await turnsOf(world).results(turn.turn_id);
    expect(results.slice(2)).toHaveLength(3);
    for (const result of results.slice(2)) expect(result).toHaveProperty('content');
  });

  it('learns that a search found nothing, and how many tools each Skill has', async () => {
    model.script([find('invoice')], 'None.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    const [none] = await turnsOf(world).results(turn.turn_id);
    expect(none).toMatchObject({ tools: [], note: expect.stringContaining('desk: 4') });
    expect(shownIn(1)).toEqual(always);
  });

  it('keeps what it found when another process takes over the turn', async () => {
    const turn = turnOf({ agent_id: agent });
    await world.pool.query(
      `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, agent_id, epoch, input, state, claim,
         owner, lease_until)
       VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 'running', 1, 'engine_killed', now() - interval '2 seconds')`,
      [
        turn.turn_id,
        home.organizationId,
        home.projectId,
        turn.app_id,
        turn.receipt_id,
        agent,
        JSON.stringify(turn.input),
      ],
    );
    const asked = { id: 'call_0', name: 'find_tools', arguments: { query: 'refund' } };
    const steps = [
      ['model_call', { text: '', tool_calls: [asked], model: 'fake', finish_reason: 'tool-calls' }],
      ['tool_call', { call_id: 'call_0', name: 'find_tools', arguments: asked.arguments }],
      [
        'tool_result',
        {
          call_id: 'call_0',
          name: 'find_tools',
          result: { tools: [], more: 0, note: '' },
          result_hash: 'h',
          reveals: ['desk__refund_order'],
        },
      ],
    ];
    for (const [at, [kind, content]] of steps.entries()) {
      const sql = 'INSERT INTO engine.step (turn_id, seq, kind, content) VALUES ($1, $2, $3, $4)';
      await world.pool.query(sql, [turn.turn_id, at + 1, kind, JSON.stringify(content)]);
    }
    model.script([call('refund_order')], 'Refunded.');
    expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded', claim: 2 });
    expect(shownIn(0)).toEqual([...always, 'refund_order']);
    expect((await turnsOf(world).results(turn.turn_id)).at(-1)).toEqual({ content: 'called tol_refund_order' });
  });
});
