import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;

beforeAll(async () => {
  world = await startGateway({});
});
afterAll(() => world.close());

it('Apps of a project that has arrived are announced anew, those that were never closed too', async () => {
  for (const name of ['One', 'Two']) await world.call('POST', 'apps', { name, kind: 'builtin' });
  const before = (await world.internal('GET', 'endpoints?after=0')).body.endpoints;
  const newest = Math.max(...before.map(({ version }) => version));
  expect((await world.internal('POST', 'project/arrived', {})).status).toBe(204);
  const { endpoints } = (await world.internal('GET', `endpoints?after=${newest}`)).body;
  expect(endpoints.map(({ app_id: id }) => id).toSorted()).toEqual(before.map(({ app_id: id }) => id).toSorted());
});
