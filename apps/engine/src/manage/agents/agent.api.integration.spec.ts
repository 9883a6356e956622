import { newId, turnRun } from '#libs/contracts';
import { type As, home, until } from '#libs/testing';
import { DataSource } from 'typeorm';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';

describe('agents over the API', () => {
  let world: EngineWorld;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:write'] });
    await world.start(rehearsal);
  });
  afterAll(() => world.close());

  it('are created, read, changed and deleted', async () => {
    const made = await world.call('POST', 'agents', { name: 'Desk', instructions: 'Help.', tools: ['http_request'] });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.body).toMatchObject({ model: null, tools: ['http_request'], is_chief_of_staff: false });
    expect((await world.call('PATCH', `agents/${id}`, { instructions: 'Help more.' })).body).toMatchObject({
      name: 'Desk',
      instructions: 'Help more.',
      tools: ['http_request'],
    });
    expect((await world.call('GET', `agents/${id}`)).body.instructions).toBe('Help more.');
    expect((await world.call('DELETE', `agents/${id}`)).status).toBe(204);
    expect((await world.call('GET', `agents/${id}`)).status).toBe(404);
  });

  it('are changed only if they are still as they were read', async () => {
    const { id } = (await world.call('POST', 'agents', { name: 'Desk', instructions: '', caps: { steps: 3 } })).body;
    const read = (await world.call('GET', `agents/${id}`)).headers.get('etag');
    const changed = await world.call(
      'PATCH',
      `agents/${id}`,
      { name: 'Mine' },
      { headers: { 'if-match': String(read) } },
    );
    expect([changed.status, changed.headers.get('etag')]).toEqual([
      200,
      (await world.call('GET', `agents/${id}`)).headers.get('etag'),
    ]);
    expect(
      (await world.call('PATCH', `agents/${id}`, { name: 'Theirs' }, { headers: { 'if-match': String(read) } })).status,
    ).toBe(412);
  });

  it('are refused with a tool that does not exist, by its field', async () => {
    const refused = await world.call('POST', 'agents', { name: 'Desk', instructions: '', tools: ['rm'] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]?.field).toBe('tools');
  });

  it.each([
    ['PATCH', { name: null }, 'name'],
    ['PATCH', { instructions: null }, 'instructions'],
    ['PATCH', { caps: null }, 'caps'],
    ['POST', { name: 'Desk', instructions: '', tools: null }, 'tools'],
  ] as const)('refuse null where a value is required: %s %j', async (method, body, field) => {
    const { id } = (await world.call('POST', 'agents', { name: 'Desk', instructions: '', model: 'm' })).body;
    const refused = await world.call(method, method === 'PATCH' ? `agents/${id}` : 'agents', body);
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('are visible to other services in their own project only', async () => {
    const { id } = (await world.call('POST', 'agents', { name: 'Desk', instructions: '' })).body;
    const ask = (as?: As) => world.internal('GET', `agents/${id}`, undefined, as);
    expect((await ask()).body).toEqual({ id });
    const elsewhere = await ask({ projectId: newId('prj') });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'agent_not_found']);
  });

  it('lose their model when it is set to null', async () => {
    const { id } = (await world.call('POST', 'agents', { name: 'Desk', instructions: '', model: 'm' })).body;
    const changed = await world.call('PATCH', `agents/${id}`, { model: null });
    expect([changed.status, changed.body.model]).toEqual([200, null]);
  });

  it('include one Chief of Staff, who may be changed and not deleted', async () => {
    const project = { organizationId: home.organizationId, projectId: newId('prj') };
    const lists = await Promise.all(Array.from({ length: 5 }, () => world.call('GET', 'agents', undefined, project)));
    for (const list of lists)
      expect(list.body.data).toMatchObject([{ name: 'Chief of Staff', is_chief_of_staff: true }]);
    const id = lists[0]?.body.data[0]?.id;
    expect((await world.call('DELETE', `agents/${id}`, undefined, project)).body.code).toBe('chief_of_staff_stays');
    expect((await world.call('PATCH', `agents/${id}`, { instructions: 'reply: changed' }, project)).status).toBe(200);
    const turn = turnOf({ project_id: project.projectId });
    await world.jobs.enqueue(turnRun, turn);
    await until('a turn follows the new instructions', async () => {
      const { rows } = await world.pool.query('SELECT reply_text FROM engine.turn WHERE id = $1', [turn.turn_id]);
      return rows[0]?.reply_text === 'changed';
    });
  });

  it('are not seen, changed or deleted from another project', async () => {
    const { id } = (await world.call('POST', 'agents', { name: 'Mine', instructions: '' })).body;
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect(
        (await world.call(method, `agents/${id}`, method === 'PATCH' ? { name: 'x' } : undefined, stranger)).status,
      ).toBe(404);
    }
    expect((await world.call('GET', `agents/${id}`)).body.name).toBe('Mine');
  });

  it('are in tables that the entities describe without a difference', async () => {
    const { upQueries } = await world.app.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map((query) => query.query)).toEqual([]);
  });
});
