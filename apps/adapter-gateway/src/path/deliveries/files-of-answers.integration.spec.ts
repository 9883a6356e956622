import { deliverySend, newId } from '#libs/contracts';
import { Deliveries, deliveryOf } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../../testing/http-server.js';

const head = { name: 'report.csv', content_type: 'text/csv', size: 3, sha256: 'x' };

describe('the files of an agent’s answer', () => {
  let world: GatewayWorld;
  let deliveries: Deliveries;
  let adapter: FakeAdapter;
  let asked: string[];
  /** What the engine answers, and its status. */
  let kept: [object, number];
  let engine: TestServer;

  beforeAll(async () => {
    engine = await httpServer((path, _body, response) => {
      asked.push(path);
      sendJson(response, ...kept);
    });
    world = await startGateway({ ENGINE_URL: engine.url, DELIVERY_ATTACHMENTS_MAX_BYTES: 100 }, engine);
    deliveries = new Deliveries(world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    asked = [];
    kept = [{ files: [btoa('a;b')] }, 200];
    adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
  });
  afterEach(() => adapter.close());

  const send = async (files = [head], state = 'delivered') => {
    const app = (await world.install(adapter)).id;
    const job = deliveryOf(app, { text: 'Your report.' });
    const content = { ...job.content!, attachments: files };
    const delivery = { ...job, turn_id: newId('trn'), content };
    await world.jobs.enqueue(deliverySend, delivery);
    const row = await deliveries.inState(delivery.delivery_id, state);
    return { delivery, row, message: adapter.bodiesOf('deliver').at(-1)?.message };
  };

  it('are fetched from the engine once, and sent with each attempt until one arrives', async () => {
    adapter.manifest.features = ['files'];
    let attempts = 0;
    adapter.routes['deliver'] = () => {
      attempts += 1;
      return attempts === 1 ? { ok: false, error: 'provider_unavailable' } : { ok: true, message_id: 'm1' };
    };
    const { delivery, message } = await send();
    expect(asked).toEqual([`/internal/turns/${delivery.turn_id}/replies/${delivery.delivery_id}/files`]);
    expect(attempts).toBe(2);
    const sent = { ...head, id: '1', content_base64: btoa('a;b') } as Partial<typeof head>;
    delete sent.sha256;
    expect(message?.attachments).toEqual([sent]);
    const { rows } = await world.pool.query('SELECT FROM gateway.delivery_attachment WHERE delivery_id = $1', [
      delivery.delivery_id,
    ]);
    expect(rows).toEqual([]);
  });

  it.each([
    ['has them no more', { files: [] }, 200],
    ['has one of them only', { files: [btoa('a;b')] }, 200],
    ['has not even their turn', { code: 'delivery_not_found' }, 404],
  ])('are not sent empty where the engine %s: the delivery ends and says so', async (_what, answer, status) => {
    adapter.manifest.features = ['files'];
    kept = [answer, status];
    const { message, row } = await send([head, { ...head, name: 'more.csv' }], 'dead');
    expect(row.error).toBe('files_gone');
    expect(row.error_detail).toMatch(/^[12] of the 2 files of this message are no longer kept/);
    expect(message).toBeUndefined();
  });

  it('are named in the text where the adapter takes none, and not fetched', async () => {
    const { message, row } = await send();
    expect(asked).toEqual([]);
    expect(message?.text).toBe('Your report.\n\n(Could not be sent here: report.csv)');
    expect(message?.attachments).toBeUndefined();
    expect(row.state).toBe('delivered');
  });

  it('are named in the text where the adapter takes fewer bytes', async () => {
    adapter.manifest.features = ['files'];
    const { message } = await send([{ ...head, size: 101 }]);
    expect(message?.text).toBe('Your report.\n\n(Could not be sent here: report.csv)');
    expect(message?.attachments).toBeUndefined();
  });
});
