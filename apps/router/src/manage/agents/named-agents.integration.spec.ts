import { newId } from '#libs/contracts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

describe('what a rule names', () => {
  let world: RouterWorld;
  let away = false;
  const appId = newId('app');
  /** The engine, with one agent, and the gateway, with every App but one. */
  const others = createServer((request, response) => {
    const path = request.url ?? '';
    if (away && path.startsWith('/internal/agents/')) return void request.socket.destroy();
    const known =
      (path.startsWith('/internal/apps/') && !path.endsWith('gone')) || path === '/internal/agents/agt_here';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? {} : { code: path.includes('/apps/') ? 'app_not_found' : 'agent_not_found' }));
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(others.address() as AddressInfo).port}`;
    world = await routerWorld();
    await world.start({ ENGINE_URL: url, GATEWAY_URL: url });
  });
  afterEach(() => {
    away = false;
  });
  afterAll(async () => {
    await world.close();
    others.closeAllConnections();
    await new Promise((resolve) => others.close(resolve));
  });

  const channel = (agent_id: string | null) => world.call('PUT', `channels/${appId}`, { agent_id });
  const workflow = (agent_id: string) => world.call<{ id: number }>('POST', 'workflows', { name: 'w', agent_id });

  it('has to be an agent of the project', async () => {
    const refused = { status: 422, body: { code: 'agent_not_found', errors: [{ field: 'agent_id' }] } };
    expect(await channel('agt_gone')).toMatchObject(refused);
    expect(await workflow('agt_gone')).toMatchObject(refused);
    expect(await channel('agt_here')).toMatchObject({ status: 200, body: { agent_id: 'agt_here' } });
    const made = await workflow('agt_here');
    expect(made.status).toBe(201);
    expect(await world.call('PATCH', `workflows/${made.body.id}`, { agent_id: 'agt_gone' })).toMatchObject(refused);
  });

  it('may be null, for no agent', async () => {
    expect(await channel(null)).toMatchObject({ status: 200, body: { agent_id: null } });
  });

  it('is accepted unchecked while the engine is unavailable', async () => {
    away = true;
    expect(await channel('agt_unknown')).toMatchObject({ status: 200, body: { agent_id: 'agt_unknown' } });
  });

  it('has to be an App of the project, in a trigger and in its rehearsal', async () => {
    const { id: workflow_id } = (await workflow('agt_here')).body;
    for (const [path, status] of [
      ['triggers', 201],
      ['triggers/dry-run', 200],
    ] as const) {
      const named = (app_id: string) =>
        world.call('POST', path, { app_id, ...(status === 201 ? { workflow_id } : {}) });
      expect(await named('app_gone')).toMatchObject({ status: 422, body: { code: 'app_not_found' } });
      expect((await named(appId)).status).toBe(status);
    }
  });
});
