import { newId } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { type As, until } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const both: Scope[] = ['agents:write', 'agents:read', 'events:read'];

describe('a set of cases of an agent', () => {
  let world: EngineWorld;
  let agent: string;
  let turns: string[];

  beforeAll(async () => {
    world = await engineWorld({ scopes: both, subject: 'user:ada' });
    await world.start({ CASE_SETS: 3, COMPARISON_CASES: 3 });
    world.model.always('On Monday.');
    agent = await agentOf(world, {});
    turns = [];
    for (let count = 0; count < 3; count += 1) {
      const turn = turnOf({ session: sessionOf(newId('msg')), agent_id: agent });
      await turnsOf(world).run(turn);
      turns.push(turn.turn_id);
    }
    await world.call('POST', `agents/${agent}/versions`, { instructions: 'Be short.' });
  });
  afterAll(() => world.close());
  afterEach(() => world.pool.query('DELETE FROM engine.case_set'));

  const create = (body: object, as?: As) => world.call('POST', `agents/${agent}/case-sets`, body, as);
  const compare = async (body: object) => {
    const { body: made } = await world.call('POST', `agents/${agent}/comparisons`, { candidate: 2, ...body });
    const path = `agents/${agent}/comparisons/${made.id}` as const;
    await until('it has ended', async () => (await world.call('GET', path)).body.state === 'ended');
    return path;
  };

  it('has a name, its messages in their order, and rules that a comparison takes from it', async () => {
    const rules = [{ contains: 'monday' }];
    const { status, body: set } = await create({ name: 'Orders', turn_ids: [turns[2], turns[0]], rules });
    expect([status, set]).toEqual([
      201,
      expect.objectContaining({ name: 'Orders', cases: 2, rules, made_by: 'user:ada' }),
    ]);
    expect((await world.call('GET', `agents/${agent}/case-sets`)).body.data).toEqual([set]);
    const { body: shown } = await world.call('GET', `agents/${agent}/case-sets/${set.id}`);
    expect(shown.turns).toEqual(
      [turns[2], turns[0]].map((turn_id) => ({ turn_id, message: 'hello there', recorded: 'On Monday.' })),
    );
    const comparison = await compare({ set_id: set.id });
    expect((await world.call('GET', comparison)).body).toMatchObject({ rules, cases: 2, rules_checked: 2 });
    const { body: cases } = await world.call('GET', `${comparison}/cases`);
    expect(cases.data.map(({ source_turn_id: id }) => id)).toEqual([turns[2], turns[0]]);
    const other = await compare({ set_id: set.id, rules: [{ contains: 'tuesday' }] });
    expect((await world.call('GET', other)).body).toMatchObject({ candidate: { rules_held: 0 }, rules_checked: 2 });
  });

  it('is made from a comparison or the last conversations, and stays when the comparison is gone', async () => {
    const comparison = await compare({ turn_ids: [turns[1]] });
    const { body: set } = await create({ name: 'Kept', cases_of: comparison.split('/').at(-1) });
    await world.pool.query('DELETE FROM engine.comparison_case');
    await world.pool.query('DELETE FROM engine.comparison');
    const shown = (await world.call('GET', `agents/${agent}/case-sets/${set.id}`)).body.turns;
    expect(shown.map(({ turn_id }) => turn_id)).toEqual([turns[1]]);
    expect((await create({ name: 'Last', last: 2 })).body).toMatchObject({ cases: 2, rules: [] });
  });

  it('shows a turn that is past its retention as gone, and still compares the others', async () => {
    const gone = turnOf({ session: sessionOf(newId('msg')), agent_id: agent });
    await turnsOf(world).run(gone);
    const { body: set } = await create({ name: 'Old', turn_ids: [gone.turn_id, turns[0]] });
    await world.pool.query('DELETE FROM engine.turn WHERE id = $1', [gone.turn_id]);
    const { body: shown } = await world.call('GET', `agents/${agent}/case-sets/${set.id}`);
    expect(shown.turns[0]).toEqual({ turn_id: gone.turn_id, message: null, recorded: null });
    const comparison = await compare({ set_id: set.id });
    const { body: cases } = await world.call('GET', `${comparison}/cases`);
    expect(cases.data.map(({ state, reason }) => [state, reason])).toEqual([
      ['dead', 'turn_gone'],
      ['done', null],
    ]);
  });

  it('is deleted, also with its agent, and its turns stay', async () => {
    const { body: set } = await create({ name: 'Brief', turn_ids: [turns[0]] });
    const path = `agents/${agent}/case-sets/${set.id}` as const;
    expect((await world.call('DELETE', path)).status).toBe(204);
    expect((await world.call('DELETE', path)).status).toBe(204);
    expect((await world.call('GET', path)).status).toBe(404);
    expect(await turnsOf(world).row(turns[0] ?? '')).toBeDefined();
    const other = await agentOf(world, {});
    const turn = turnOf({ session: sessionOf(newId('msg')), agent_id: other });
    await turnsOf(world).run(turn);
    await world.call('POST', `agents/${other}/case-sets`, { name: 'Brief', turn_ids: [turn.turn_id] });
    await world.call('DELETE', `agents/${other}`);
    const left = await world.pool.query('SELECT id FROM engine.case_set WHERE agent_id = $1', [other]);
    expect(left.rows).toEqual([]);
  });

  it('is nobody else’s, and is refused where it would say nothing', async () => {
    const { body: set } = await create({ name: 'Mine', turn_ids: [turns[0]] });
    const path = `agents/${agent}/case-sets/${set.id}` as const;
    expect((await world.call('GET', path, undefined, { projectId: newId('prj') })).status).toBe(404);
    expect((await world.call('GET', path, undefined, { scopes: ['agents:read'] })).status).toBe(403);
    expect((await create({ name: 'X', turn_ids: [turns[0]] }, { scopes: ['agents:write'] })).status).toBe(403);
    const another = await agentOf(world, {});
    expect((await world.call('GET', path.replace(agent, another) as typeof path)).status).toBe(404);
    const refused = async (body: object) => (await create({ turn_ids: [turns[0]], ...body })).body;
    expect(await refused({ name: 'Mine' })).toMatchObject({ code: 'name_taken' });
    expect(await refused({ name: 'A', turn_ids: [] })).toMatchObject({ errors: [{ field: 'turn_ids' }] });
    expect(await refused({ name: 'A', last: 1 })).toMatchObject({ errors: [{ field: 'last' }] });
    expect(await refused({ name: 'A', rules: [{ contains: 'a', calls: 'b' }] })).toMatchObject({
      errors: [{ field: 'rules.0' }],
    });
    const begun = await world.call('POST', `agents/${agent}/comparisons`, { candidate: 2, set_id: newId('cst') });
    expect(begun.body).toMatchObject({ errors: [{ field: 'set_id' }] });
    await create({ name: 'Second', turn_ids: [turns[0]] });
    await create({ name: 'Third', turn_ids: [turns[0]] });
    expect(await refused({ name: 'Fourth' })).toMatchObject({ code: 'too_many_case_sets' });
  });
});
