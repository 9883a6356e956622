import { until } from '#libs/testing';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { send } from '../testing/send.js';

let portal: PortalWorld;
let ada: string;
let bob: string;
let manager: string;

beforeAll(async () => {
  const away = 'http://127.0.0.1:9';
  const urls = { INGRESS_URL: away, VAULT_URL: away, GATEWAY_URL: away, ROUTER_URL: away };
  portal = await startPortal({ ...urls, ENGINE_URL: away, MCP_REGISTRY_URL: away }, 0);
  ada = await portal.key(['events:read']);
  bob = await portal.key(['events:read']);
  manager = await portal.key(['admin']);
});
afterAll(() => portal.close());

const call = (method: string, path: string, key: string, body?: object) =>
  send(`${portal.url}/api/v1/${path}`, key, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const save = (key: string, name: string, shared: boolean, search: object = { outcome: 'dead' }) =>
  call('POST', 'views', key, { list: 'events', name, search, shared });
const namesFor = async (key: string, list = 'events'): Promise<string[]> =>
  (await call('GET', `views?list=${list}`, key)).body.data.map(({ name }: { name: string }) => name);

describe('a saved view', () => {
  it('is its maker’s alone, until it is shared', async () => {
    const own = await save(ada, 'mine', false);
    expect(own).toMatchObject({ status: 201, body: { search: { outcome: 'dead' }, shared: false, deletable: true } });
    await save(ada, 'ours', true);
    expect(await namesFor(ada)).toEqual(['mine', 'ours']);
    expect(await namesFor(bob)).toEqual(['ours']);
    expect(await namesFor(ada, 'conversations')).toEqual([]);
  });

  it('is deleted by its maker, a shared one also by an administrator', async () => {
    const { id } = (await save(ada, 'shared', true)).body;
    const secret = (await save(ada, 'secret', false)).body.id;
    expect((await call('DELETE', `views/${id}`, bob)).status).toBe(403);
    expect((await call('DELETE', `views/${secret}`, manager)).status).toBe(404);
    expect((await call('DELETE', `views/${id}`, manager)).status).toBe(204);
    expect((await call('DELETE', `views/${secret}`, ada)).status).toBe(204);
    expect((await call('DELETE', `views/${secret}`, ada)).status).toBe(404);
  });

  it('is limited by what its maker sees: nobody uses up what others may save', async () => {
    const carol = await portal.key(['events:read']);
    await until('there is room for no more', async () => (await save(carol, 'one more', false)).status === 409);
    expect((await save(carol, 'one more', true)).body.code).toBe('too_many_views');
    expect((await save(bob, 'of another', false)).status).toBe(201);
  });

  it('is refused without a list, and with filters that are too long', async () => {
    expect((await call('GET', 'views', ada)).status).toBe(422);
    const long = await save(ada, 'long', false, { text: 'x'.repeat(4_001) });
    expect(long).toMatchObject({ status: 422, body: { errors: [{ field: 'search' }] } });
  });
});
