import { until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;
let deliveries: Deliveries;

beforeAll(async () => {
  adapter = await fakeAdapter('statuses');
  world = await startGateway({}, adapter);
  deliveries = new Deliveries(world);
  adapter.routes['format'] = ({ text }) => ({ text, format: 'plain' });
  adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `m ${key}` });
  app = (await world.install(adapter)).id;
});
afterAll(() => world.close());

const report = (metadata: object) => ({
  event_type: 'delivery_status',
  sender: 'ada',
  message: 'a status',
  is_bot: false,
  metadata,
});

/** A webhook of the provider with these statuses; resolves when the gateway has handed it on. */
async function reported(...statuses: object[]): Promise<void> {
  adapter.routes['parse-inbound'] = () => ({ event_type: 'batch', metadata: { messages: statuses.map(report) } });
  await world.receive(app);
  await until('it is parsed', async () => adapter.bodiesOf('parse-inbound').length > 0);
}

const statusOf = async (id: string) => {
  const { state, provider_status, provider_status_detail, provider_status_at } = await deliveries.read(id);
  return { state, provider_status, provider_status_detail, provider_status_at };
};
const becomes = (id: string, status: string) =>
  until(`the delivery is ${status}`, async () => (await statusOf(id)).provider_status === status);

beforeEach(() => adapter.calls.splice(0));

describe('what a provider says of a message that it has taken', () => {
  it('is noted on its delivery, by the id of the message, and never goes back', async () => {
    const id = await deliveries.send(app);
    const { provider_message_id: message_id } = await deliveries.inState(id, 'delivered');
    expect(await statusOf(id)).toMatchObject({ provider_status: null });
    await reported({ message_id, status: 'delivered', timestamp: '2026-01-02T03:04:05.000Z' });
    await becomes(id, 'delivered');
    expect(await statusOf(id)).toMatchObject({ provider_status_at: '2026-01-02T03:04:05.000Z' });
    const other = await deliveries.send(app);
    const later = await deliveries.inState(other, 'delivered');
    // The second one of the same webhook shows that the first was looked at.
    await reported({ message_id, status: 'sent' }, { message_id: later.provider_message_id, status: 'open' });
    await becomes(other, 'read');
    expect(await statusOf(id)).toMatchObject({ provider_status: 'delivered' });
  });

  it('is noted by the key of the delivery or of a part, also before the answer is there; a failure has its words', async () => {
    const id = await deliveries.send(app);
    await deliveries.inState(id, 'delivered');
    await reported({ message_id: 'm 0', delivery_key: `${id}/2`, status: 'undelivered', reason: 'Re-engagement' });
    await becomes(id, 'failed');
    expect(await statusOf(id)).toMatchObject({ state: 'delivered', provider_status_detail: 'Re-engagement' });
  });

  it('is noted by the mark that is on the mails of a delivery, where a reader complains', async () => {
    const id = await deliveries.send(app);
    await deliveries.inState(id, 'delivered');
    await reported({
      message_id: '<m@x>',
      delivery_key: `${id}-1/3`,
      status: 'spamreport',
      reason: 'reported as abuse',
    });
    await becomes(id, 'delivered');
    expect(await statusOf(id)).toMatchObject({ provider_status_detail: 'reported as abuse' });
  });

  it('of a message of another App changes nothing', async () => {
    const id = await deliveries.send(app);
    const { provider_message_id: message_id } = await deliveries.inState(id, 'delivered');
    await world.pool.query(`UPDATE gateway.delivery SET app_id = 'app_other' WHERE id = $1`, [id]);
    const witness = await deliveries.send(app);
    await deliveries.inState(witness, 'delivered');
    await reported(
      { message_id, status: 'read' },
      { delivery_key: id, status: 'read' },
      { delivery_key: witness, status: 'read' },
    );
    await becomes(witness, 'read');
    const { rows } = await world.pool.query('SELECT provider_status FROM gateway.delivery WHERE id = $1', [id]);
    expect(rows).toEqual([{ provider_status: null }]);
  });
});
