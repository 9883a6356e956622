import { type Scope, writeCursor } from '#libs/service-kit';
import { newId } from '#libs/contracts';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const kept = 10;

describe('versions of an agent', () => {
  let world: EngineWorld;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:write'], subject: 'key:ada' });
    await world.start({ ...rehearsal, AGENT_VERSIONS: kept, AGENT_CACHE_MS: 0 });
  });
  afterAll(() => world.close());

  const made = async (): Promise<string> =>
    (await world.call('POST', 'agents', { name: 'Desk', instructions: 'reply: one' })).body.id;
  const list = async (id: string) => (await world.call('GET', `agents/${id}/versions`)).body.data;
  const answerOf = async (agent_id: string) => {
    const turn = turnOf({ agent_id });
    const { reply_text, agent_version } = await turnsOf(world).run(turn);
    return { reply_text, agent_version };
  };

  it('are made by every change, with who and why, and turns record theirs', async () => {
    const id = await made();
    expect(await answerOf(id)).toEqual({ reply_text: 'one', agent_version: 1 });
    const changed = await world.call(
      'PATCH',
      `agents/${id}`,
      { instructions: 'reply: two', note: 'shorter' },
      { subject: 'user:bob' },
    );
    expect(changed.body).toMatchObject({ version: 2, instructions: 'reply: two' });
    expect(changed.body).not.toHaveProperty('note');
    expect(await answerOf(id)).toEqual({ reply_text: 'two', agent_version: 2 });
    expect(await list(id)).toMatchObject([
      {
        version: 2,
        state: 'in_force',
        based_on: 1,
        changed: ['instructions'],
        note: 'shorter',
        made_by: 'user:bob',
        promoted_by: 'user:bob',
      },
      { version: 1, state: 'earlier', based_on: null, changed: [], promoted_by: 'key:ada' },
    ]);
  });

  it('are not made by a change that changes nothing', async () => {
    const id = await made();
    expect((await world.call('PATCH', `agents/${id}`, { instructions: 'reply: one' })).body.version).toBe(1);
    expect(await list(id)).toHaveLength(1);
  });

  it('are drafted, compared, promoted and rolled back', async () => {
    const id = await made();
    const draft = await world.call('POST', `agents/${id}/versions`, {
      instructions: 'reply: draft',
      caps: { steps: 3 },
      note: 'try',
    });
    expect(draft).toMatchObject({
      status: 201,
      body: { version: 2, state: 'draft', changed: ['instructions', 'caps'] },
    });
    expect(draft.body.fields).toMatchObject({ name: 'Desk', instructions: 'reply: draft', caps: { steps: 3 } });
    expect(await answerOf(id)).toEqual({ reply_text: 'one', agent_version: 1 });
    expect((await world.call('GET', `agents/${id}/versions/2/differences`)).body).toEqual({
      version: 2,
      compared_with: 1,
      differences: [
        { field: 'instructions', before: 'reply: one', after: 'reply: draft' },
        { field: 'caps', before: {}, after: { steps: 3 } },
      ],
    });
    const promoted = await world.call(
      'POST',
      `agents/${id}/versions/2/promote`,
      { note: 'better', instead_of: 1 },
      { subject: 'key:bob' },
    );
    expect(promoted).toMatchObject({ status: 200, body: { version: 2, instructions: 'reply: draft' } });
    expect(await answerOf(id)).toEqual({ reply_text: 'draft', agent_version: 2 });
    expect((await world.call('POST', `agents/${id}/versions/1/promote`, { instead_of: 1 })).body).toMatchObject({
      code: 'version_changed',
    });
    await world.call('POST', `agents/${id}/versions/1/promote`, { note: 'worse after all' });
    expect(await answerOf(id)).toEqual({ reply_text: 'one', agent_version: 1 });
    expect(await list(id)).toMatchObject([
      { version: 2, state: 'earlier', note: 'better', made_by: 'key:ada', promoted_by: 'key:bob' },
      { version: 1, state: 'in_force', note: 'worse after all' },
    ]);
    const { rows } = await world.pool.query(
      "SELECT actor, before, after FROM engine.audit WHERE subject = $1 AND action = 'agent.promoted' ORDER BY id",
      [id],
    );
    expect(rows).toEqual([
      { actor: 'key:bob', before: { version: 1 }, after: { version: 2, note: 'better' } },
      { actor: 'key:ada', before: { version: 2 }, after: { version: 1, note: 'worse after all' } },
    ]);
  });

  it('give no powers that their author, or whoever promotes them, could not give', async () => {
    const id = await made();
    const more = { may_do: 'destructive' };
    expect(await world.call('POST', `agents/${id}/versions`, more)).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    const owner = { scopes: ['agents:write', 'approvals:manage'] as Scope[] };
    expect((await world.call('POST', `agents/${id}/versions`, more, owner)).status).toBe(201);
    expect(await world.call('POST', `agents/${id}/versions/2/promote`, {})).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    expect((await world.call('POST', `agents/${id}/versions/2/promote`, {}, owner)).body.may_do).toBe('destructive');
  });

  it('are refused with a tool that does not exist, as an agent is', async () => {
    const id = await made();
    expect(await world.call('POST', `agents/${id}/versions`, { tools: ['rm'] })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'tools', message: expect.stringContaining('rm') }] },
    });
  });

  it('are nobody else’s, and 404 where there are none', async () => {
    const id = await made();
    const other = { projectId: newId('prj') };
    expect((await world.call('GET', `agents/${id}/versions`, undefined, other)).status).toBe(404);
    expect((await world.call('GET', `agents/${id}/versions/1`, undefined, other)).status).toBe(404);
    expect((await world.call('POST', `agents/${id}/versions/1/promote`, {}, other)).status).toBe(404);
    expect(await world.call('GET', `agents/${id}/versions/9`)).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
    expect((await world.call('POST', `agents/${id}/versions`, {}, { scopes: ['agents:read'] })).status).toBe(403);
  });

  it.each(['infinity', '1e3', '-1', '9999999999'])('are no page of another list, whose cursor is %s', async (value) => {
    const answer = await world.call('GET', `agents/${await made()}/versions?cursor=${writeCursor(value)}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('begin with the agent as it is where an older release made it', async () => {
    const id = await agentOf(world, {});
    await world.call('PATCH', `agents/${id}`, { name: 'New' });
    expect(await list(id)).toMatchObject([
      { version: 2, changed: ['name'] },
      { version: 1, made_by: null },
    ]);
    expect((await world.call('GET', `agents/${id}/versions/1`)).body.fields.name).toBe('Test');
  });

  it('are kept up to a number, with the one in force, and go with their agent', async () => {
    const id = await made();
    for (let count = 0; count < kept + 2; count += 1)
      await world.call('POST', `agents/${id}/versions`, { name: `n${count}` });
    const numbers = (await list(id)).map(({ version }: { version: number }) => version);
    expect(numbers).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 1]);
    await world.call('DELETE', `agents/${id}`);
    const { rows } = await world.pool.query('SELECT 1 FROM engine.agent_version WHERE agent_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('of changes at the same time are each a version', async () => {
    const id = await made();
    await Promise.all(Array.from({ length: 6 }, (_, n) => world.call('PATCH', `agents/${id}`, { name: `n${n}` })));
    expect((await list(id)).map(({ version }: { version: number }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await world.call('GET', `agents/${id}`)).body.version).toBe(7);
  });
});
