import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

describe('the list of deliveries', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let deliveries: Deliveries;

  beforeAll(async () => {
    adapter = await fakeAdapter('listed');
    world = await startGateway({}, adapter);
    deliveries = new Deliveries(world);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
  });
  afterAll(() => world.close());

  it('can be read from either end, page by page', async () => {
    const app = (await world.install(adapter)).id;
    const sent: string[] = [];
    for (const text of ['one', 'two', 'three']) sent.push(await deliveries.send(app, { text }));
    for (const id of sent) await deliveries.inState(id, 'delivered');
    const whole = async (order: string): Promise<string[]> => {
      const first = (await world.call('GET', `deliveries?limit=2${order}`)).body;
      const second = (await world.call('GET', `deliveries?limit=2${order}&cursor=${first.next_cursor}`)).body;
      expect(second.next_cursor).toBeNull();
      return [...first.data, ...second.data].map(({ id }) => id);
    };
    expect(await whole('')).toEqual(sent.toReversed());
    expect(await whole('&order=asc')).toEqual(sent);
  });
});
