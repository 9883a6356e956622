import { newId } from '#libs/contracts';
import { writeCursor } from '#libs/service-kit';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

interface Version {
  version: number;
  state: string;
  changed: string[];
  restored_from: number | null;
  made_by: string | null;
}
type Answer = Record<string, unknown> & { id: string; data: Version[]; code?: string };

const kept = 10;
const app = newId('app');
let gateway: Server;
/** What the gateway was asked to change. */
const changed: string[] = [];
let world: RouterWorld;

beforeAll(async () => {
  gateway = createServer(({ method, url }, response) => {
    if (method === 'PUT') changed.push(String(url));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ id: app, kind: 'adapter', name: 'Chat' }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  await world.start({ GATEWAY_URL: url, RULE_VERSIONS: kept });
});
afterAll(async () => {
  await world.close();
  gateway.close();
  gateway.closeAllConnections();
});

const ada = { subject: 'key:ada' };
const bob = { subject: 'key:bob' };
const call = (method: string, path: string, body?: object, as = ada) => world.call<Answer>(method, path, body, as);
const workflow = async () => (await call('POST', 'workflows', { name: 'Desk', instructions: 'one' })).body.id;
const trigger = async () =>
  (await call('POST', 'triggers', { app_id: app, workflow_id: await workflow(), event_types: ['opened'] })).body.id;
const versions = async (path: string) => (await call('GET', `${path}/versions`)).body.data;
const audited = (subject: unknown) =>
  world.query<object>('SELECT actor, action, before, after FROM router.audit WHERE subject = $1 ORDER BY id', [
    String(subject),
  ]);

describe('the versions of a rule', () => {
  it('have who made each, and what it changed, for a workflow', async () => {
    const id = await workflow();
    await call('PATCH', `workflows/${id}`, { instructions: 'two', status: 'suspended' }, bob);
    expect(await versions(`workflows/${id}`)).toMatchObject([
      { version: 2, state: 'in_force', changed: ['instructions', 'status'], made_by: 'key:bob', restored_from: null },
      { version: 1, state: 'earlier', changed: [], made_by: 'key:ada' },
    ]);
    expect((await call('GET', `workflows/${id}/versions/2/differences?with=1`)).body).toEqual({
      version: 2,
      compared_with: 1,
      differences: [
        { field: 'instructions', before: 'one', after: 'two' },
        { field: 'status', before: 'active', after: 'suspended' },
      ],
    });
  });

  it('are restored as the newest version, which leaves a switch as it is', async () => {
    const id = await workflow();
    await call('PATCH', `workflows/${id}`, { instructions: 'two' });
    await call('PATCH', `workflows/${id}`, { status: 'off' });
    const restored = await call('POST', `workflows/${id}/versions/1/restore`, { instead_of: 3 }, bob);
    expect(restored).toMatchObject({ status: 200, body: { instructions: 'one', status: 'off' } });
    expect((await versions(`workflows/${id}`))[0]).toMatchObject({
      version: 4,
      state: 'in_force',
      changed: ['instructions'],
      restored_from: 1,
      made_by: 'key:bob',
    });
  });

  it('are not restored over a version that whoever restores has not seen', async () => {
    const id = await workflow();
    await call('PATCH', `workflows/${id}`, { instructions: 'two' });
    await call('PATCH', `workflows/${id}`, { instructions: 'theirs' }, bob);
    const restored = await call('POST', `workflows/${id}/versions/1/restore`, { instead_of: 2 });
    expect(restored).toMatchObject({ status: 409, body: { code: 'version_changed' } });
    expect((await call('GET', `workflows/${id}`)).body['instructions']).toBe('theirs');
  });

  it('exist for a trigger, and a restored filter is the one that messages are tried on', async () => {
    const id = await trigger();
    await call('PATCH', `triggers/${id}`, { where: 'event.message == "a"' }, bob);
    await call('PATCH', `triggers/${id}`, { where: 'event.message == "b"', limit_per_minute: 3, active: false });
    const restored = await call('POST', `triggers/${id}/versions/2/restore`, {});
    const as = { where: 'event.message == "a"', limit_per_minute: null, active: false };
    expect(restored).toMatchObject({ status: 200, body: as });
    expect(await versions(`triggers/${id}`)).toMatchObject([
      { version: 4, changed: ['where', 'limit_per_minute'], restored_from: 2 },
      { version: 3, changed: ['where', 'limit_per_minute', 'active'] },
      { version: 2, changed: ['where'], made_by: 'key:bob' },
      { version: 1, changed: [], made_by: 'key:ada' },
    ]);
  });

  it('begin with the defaults for a channel that was never set up', async () => {
    await call('PATCH', `channels/${app}`, { route_policy: 'triggers' });
    await call('PUT', `channels/${app}`, { session_scope: 'contact' }, bob);
    expect(await versions(`channels/${app}`)).toMatchObject([
      { version: 3, made_by: 'key:bob', changed: expect.arrayContaining(['route_policy', 'session_scope']) },
      { version: 2, made_by: 'key:ada', changed: ['route_policy'] },
      { version: 1, made_by: null, changed: [] },
    ]);
    const restored = await call('POST', `channels/${app}/versions/1/restore`, {});
    expect(restored).toMatchObject({ status: 200, body: { route_policy: 'both', session_scope: 'thread' } });
  });

  it('are not restored over a version of a channel that was not seen, also not where its replies are sent', async () => {
    await call('PUT', `channels/${app}`, { reply_address: 'C1' });
    await call('PUT', `channels/${app}`, { reply_address: 'C2' });
    const [newest, before] = await versions(`channels/${app}`);
    changed.length = 0;
    const restored = await call('POST', `channels/${app}/versions/${before?.version}/restore`, {
      instead_of: before?.version,
    });
    expect([restored.status, changed]).toEqual([409, []]);
    expect((await versions(`channels/${app}`))[0]?.version).toBe(newest?.version);
  });

  it('are written into the audit log, with what a deleted trigger was', async () => {
    const id = await trigger();
    await call('PATCH', `triggers/${id}`, { limit_per_minute: 5 }, bob);
    await call('DELETE', `triggers/${id}`, undefined, bob);
    expect(await audited(id)).toMatchObject([
      { actor: 'key:ada', action: 'trigger.created', before: null, after: { app_id: app, event_types: ['opened'] } },
      {
        actor: 'key:bob',
        action: 'trigger.changed',
        before: { limit_per_minute: null },
        after: { limit_per_minute: 5 },
      },
      { actor: 'key:bob', action: 'trigger.deleted', before: { app_id: app, limit_per_minute: 5 }, after: null },
    ]);
    expect(await world.query('SELECT 1 FROM router.rule_version WHERE subject = $1', [id])).toEqual([]);
    expect((await call('GET', `triggers/${id}/versions`)).status).toBe(404);
  });

  it('are not made by a change that changes nothing', async () => {
    const id = await workflow();
    await call('PATCH', `workflows/${id}`, { instructions: 'one' });
    expect(await versions(`workflows/${id}`)).toHaveLength(1);
  });

  it('of changes at the same time are each a version', async () => {
    const id = await workflow();
    await Promise.all(Array.from({ length: 6 }, (_, n) => call('PATCH', `workflows/${id}`, { name: `n${n}` })));
    expect((await versions(`workflows/${id}`)).map(({ version }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('have what a process of the previous release changed, as a version of nobody', async () => {
    const id = await workflow();
    await world.query('UPDATE router.workflow SET instructions = $2 WHERE id = $1', [id, 'theirs']);
    await call('PATCH', `workflows/${id}`, { instructions: 'two' });
    expect(await versions(`workflows/${id}`)).toMatchObject([
      { version: 3, made_by: 'key:ada' },
      { version: 2, made_by: null, changed: ['instructions'] },
      { version: 1, made_by: 'key:ada' },
    ]);
  });

  it('are kept up to a number, and listed by page', async () => {
    const id = await workflow();
    for (let n = 0; n < kept + 2; n += 1) await call('PATCH', `workflows/${id}`, { name: `n${n}` });
    const page = await call('GET', `workflows/${id}/versions?limit=4`);
    expect(page.body.data.map(({ version }) => version)).toEqual([13, 12, 11, 10]);
    const rest = await call('GET', `workflows/${id}/versions?cursor=${String(page.body['next_cursor'])}`);
    expect(rest.body.data.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4]);
    expect(rest.body.data.every(({ state }) => state === 'earlier')).toBe(true);
  });

  it('are nobody else’s, and 404 where there are none', async () => {
    const id = await workflow();
    const other = { ...ada, projectId: newId('prj') };
    expect((await call('GET', `workflows/${id}/versions`, undefined, other)).status).toBe(404);
    expect((await call('POST', `workflows/${id}/versions/1/restore`, {}, other)).status).toBe(404);
    const absent = await call('POST', `workflows/${id}/versions/9/restore`, {});
    expect(absent).toMatchObject({ status: 404, body: { code: 'version_not_found' } });
    const cursor = await call('GET', `workflows/${id}/versions?cursor=${writeCursor('infinity')}`);
    expect(cursor).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });
});
