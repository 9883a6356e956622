import { newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { type EngineWorld, engineWorld, home, turnOf } from '../../testing/engine-world.js';

describe('agents over the API', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;

  beforeAll(async () => {
    world = await engineWorld();
    engine = await world.start();
  });
  afterAll(async () => {
    await world.close();
  });

  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    project = home,
    ifMatch?: string,
  ) => {
    const token = await world.token(['agents:write'], project);
    return engine.inject({
      method,
      url: `/api/v1/agents${path}`,
      headers: { authorization: `Bearer ${token}`, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
      ...(body ? { payload: body } : {}),
    });
  };

  it('are created, read, changed and deleted', async () => {
    const made = await call('POST', '', { name: 'Desk', instructions: 'Help.', tools: ['http_request'] });
    expect(made.statusCode).toBe(201);
    const { id } = made.json();
    expect(made.json()).toMatchObject({ model: null, tools: ['http_request'], is_chief_of_staff: false });
    expect((await call('PATCH', `/${id}`, { instructions: 'Help more.' })).json()).toMatchObject({
      name: 'Desk',
      instructions: 'Help more.',
      tools: ['http_request'],
    });
    expect((await call('GET', `/${id}`)).json().instructions).toBe('Help more.');
    expect((await call('DELETE', `/${id}`)).statusCode).toBe(204);
    expect((await call('GET', `/${id}`)).statusCode).toBe(404);
  });

  it('are changed only if they are still as they were read', async () => {
    const { id } = (await call('POST', '', { name: 'Desk', instructions: '', caps: { steps: 3 } })).json();
    const read = (await call('GET', `/${id}`)).headers['etag'];
    const changed = await call('PATCH', `/${id}`, { name: 'Mine' }, home, read);
    expect([changed.statusCode, changed.headers['etag']]).toEqual([200, (await call('GET', `/${id}`)).headers['etag']]);
    expect((await call('PATCH', `/${id}`, { name: 'Theirs' }, home, read)).statusCode).toBe(412);
  });

  it('have only tools that exist', async () => {
    const refused = await call('POST', '', { name: 'Desk', instructions: '', tools: ['rm'] });
    expect(refused.statusCode).toBe(422);
    expect(refused.json().errors[0].field).toBe('tools');
  });

  it.each([
    ['PATCH', { name: null }, 'name'],
    ['PATCH', { instructions: null }, 'instructions'],
    ['PATCH', { caps: null }, 'caps'],
    ['POST', { name: 'Desk', instructions: '', tools: null }, 'tools'],
  ] as const)('refuse null where a value is required: %s %j', async (method, body, field) => {
    const { id } = (await call('POST', '', { name: 'Desk', instructions: '', model: 'm' })).json();
    const refused = await call(method, method === 'PATCH' ? `/${id}` : '', body);
    expect([refused.statusCode, refused.json().errors?.[0]?.field]).toEqual([422, field]);
  });

  it('are visible to other services in their own project only', async () => {
    const { id } = (await call('POST', '', { name: 'Desk', instructions: '' })).json();
    const ask = async (project: typeof home) =>
      engine.inject({
        method: 'GET',
        url: `/internal/agents/${id}`,
        headers: { authorization: `Bearer ${await world.token(['service'], project)}` },
      });
    expect((await ask(home)).json()).toEqual({ id });
    const elsewhere = await ask({ ...home, projectId: newId('prj') });
    expect([elsewhere.statusCode, elsewhere.json().code]).toEqual([404, 'agent_not_found']);
  });

  it('lose their model when it is set to null', async () => {
    const { id } = (await call('POST', '', { name: 'Desk', instructions: '', model: 'm' })).json();
    const changed = await call('PATCH', `/${id}`, { model: null });
    expect([changed.statusCode, changed.json().model]).toEqual([200, null]);
  });

  it('include one Chief of Staff, who may be changed and not deleted', async () => {
    const project = { organizationId: home.organizationId, projectId: newId('prj') };
    const lists = await Promise.all(Array.from({ length: 5 }, () => call('GET', '', undefined, project)));
    for (const list of lists)
      expect(list.json().data).toMatchObject([{ name: 'Chief of Staff', is_chief_of_staff: true }]);
    const { id } = lists[0]!.json().data[0];
    expect((await call('DELETE', `/${id}`, undefined, project)).json().code).toBe('chief_of_staff_stays');
    expect((await call('PATCH', `/${id}`, { instructions: 'reply: changed' }, project)).statusCode).toBe(200);
    const turn = turnOf({ project_id: project.projectId });
    await world.jobs.enqueue(turnRun, turn);
    await until('a turn follows the new instructions', async () => {
      const { rows } = await world.pool.query('SELECT reply_text FROM engine.turn WHERE id = $1', [turn.turn_id]);
      return rows[0]?.reply_text === 'changed';
    });
  });

  it('are not seen, changed or deleted from another project', async () => {
    const { id } = (await call('POST', '', { name: 'Mine', instructions: '' })).json();
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect((await call(method, `/${id}`, method === 'PATCH' ? { name: 'x' } : undefined, stranger)).statusCode).toBe(
        404,
      );
    }
    expect((await call('GET', `/${id}`)).json().name).toBe('Mine');
  });

  it('are stored as the entities describe', async () => {
    const { upQueries } = await engine.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map((query) => query.query)).toEqual([]);
  });
});
