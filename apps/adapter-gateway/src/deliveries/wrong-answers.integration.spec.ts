import { until } from '#libs/testing';
import { Deliveries } from '../testing/deliveries.js';
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let adapterId: string;
let app: string;
let deliveries: Deliveries;

beforeAll(async () => {
  world = await gatewayWorld();
  await world.start();
  deliveries = new Deliveries(world);
  adapter = await fakeAdapter('wrong');
  adapterId = (await world.call('POST', 'adapters', { url: adapter.url })).body.id;
  app = (await world.call('POST', 'listings/wrong/install', {})).body.id;
});
afterAll(async () => {
  await deliveries.close();
  await world.close();
  await adapter.close();
});

const settled = async () => deliveries.inState(await deliveries.send(app), 'delivered', 'dead', 'unknown');
const shown = (violation: string): Promise<unknown> =>
  until('the page of the adapter shows it', async () => {
    const { body } = await world.call('GET', `adapters/${adapterId}`);
    return body.violation === violation;
  });

describe('a delivery whose adapter breaks the contract', () => {
  it('ends at its first attempt when the answer of /format is unusable', async () => {
    adapter.routes['format'] = () => ({ text: 'hello', parts: 'hello' });
    expect(await settled()).toMatchObject({ state: 'dead', error: 'contract_violation', attempts: 1 });
    await shown('/format: parts must be a list of texts, not a text');
    adapter.routes['format'] = ({ text }) => ({ text });
  });

  it('has arrived when /deliver says so, whatever the details are', async () => {
    adapter.routes['deliver'] = () => ({ ok: true, message_id: { id: 1 } });
    expect(await settled()).toMatchObject({ state: 'delivered' });
    await shown('/deliver: message_id must be a text or a whole number, not an object');
  });

  it('is unknown when /deliver does not say how much has arrived', async () => {
    adapter.routes['deliver'] = () => ({ ok: false, error: 'rate_limited', delivered_parts: 'two' });
    expect(await settled()).toMatchObject({ state: 'unknown' });
    await shown('/deliver: delivered_parts must be a whole number of at least 0, not a text');
  });
});
