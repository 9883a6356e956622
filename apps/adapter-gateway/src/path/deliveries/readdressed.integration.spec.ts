import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, type TestServer } from '../../testing/http-server.js';

let world: GatewayWorld;
let deliveries: Deliveries;
let receiver: TestServer;
let received: string[];
let app: string;

beforeAll(async () => {
  world = await startGateway({ DELIVERY_RETRY_PAUSE_MAX_MS: 100 });
  deliveries = new Deliveries(world);
  receiver = await httpServer((path, _body, response) => {
    received.push(path);
    response.writeHead(path === '/old' ? 404 : 200).end();
  });
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});
beforeEach(async () => {
  received = [];
  app = (await world.call('POST', 'apps', { kind: 'builtin', name: 'Webhook' })).body.id;
  await setAddress('old');
});

const url = (path: string): string => `${receiver.url}/${path}`;
const setAddress = async (path: string | null): Promise<void> => {
  const body = { reply_address: path === null ? null : url(path) };
  expect((await world.internal('PUT', `apps/${app}/reply-address`, body)).status).toBe(204);
};
const dead = async (byChannel?: true): Promise<string> => {
  const id = await deliveries.send(app, { address: url('old'), ...(byChannel && { byChannel }) });
  await deliveries.inState(id, 'dead');
  return id;
};
const redrive = (id: string) => world.call('POST', `deliveries/${id}/redrive`);

describe('a reply that died at its address', () => {
  it("goes to the channel's address of now when it is redriven, and shows it", async () => {
    const id = await dead(true);
    await setAddress('new');
    await redrive(id);
    const { content } = await deliveries.inState(id, 'delivered');
    expect(content.target).toMatchObject({ channel_address: url('new'), by_channel: true });
    expect(received).toEqual(['/old', '/new']);
  });

  it('is dead again, with what to do, where the channel has no address any more', async () => {
    const id = await dead(true);
    await setAddress(null);
    await redrive(id);
    const row = await deliveries.inState(id, 'dead', 'delivered');
    expect(row).toMatchObject({ state: 'dead', error: 'no_reply_address' });
    expect(row.error_detail).toMatch(/set one, then redrive/);
    expect(received).toEqual(['/old']);
  });

  it('stays with the address that its message gave', async () => {
    const id = await dead();
    await setAddress('new');
    await redrive(id);
    await deliveries.inState(id, 'dead');
    expect(received).toEqual(['/old', '/old']);
  });
});
