import { deliverySend, type DeliverySendPayload, firstAttemptWithinMs, newId } from '#libs/contracts';
import { until } from '#libs/testing';
import { Deliveries, deliveryOf } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, type TestServer } from '../../testing/http-server.js';
import { DeliveryService } from './delivery.service.js';

describe('the first attempt at a reply of the built-in App', () => {
  let world: GatewayWorld;
  let deliveries: Deliveries;
  let receiver: TestServer;
  let app: string;
  let keys: unknown[];
  /** What is stored of the delivery while the receiver has its message, and the status it then answers. */
  let answer: (key: string, nth: number) => Promise<number>;

  beforeAll(async () => {
    world = await startGateway({ DELIVERY_ROW_AFTER_MS: 500, DELIVERY_RETRY_PAUSE_MAX_MS: 100 });
    deliveries = new Deliveries(world);
    receiver = await httpServer(async (_path, _body, response, request) => {
      const key = String(request.headers['idempotency-key']);
      const nth = keys.push(key);
      response.writeHead(await answer(key, nth)).end();
    });
    app = (await world.call('POST', 'apps', { kind: 'builtin', name: 'Webhook' })).body.id;
  });
  afterAll(async () => {
    await world.close();
    await receiver.close();
  });
  beforeEach(() => {
    keys = [];
  });

  const replyOf = (): DeliverySendPayload => ({
    ...deliveryOf(app, { address: receiver.url }),
    turn_id: newId('trn'),
  });
  const rowOf = async (id: string) =>
    (await world.pool.query('SELECT * FROM gateway.delivery WHERE id = $1', [id])).rows[0] ?? null;
  const offer = async (reply = replyOf()): Promise<string> => {
    await world.jobs.enqueue(deliverySend, reply);
    return reply.delivery_id;
  };

  it('is stored with its result when it arrives soon', async () => {
    const seen: unknown[] = [];
    answer = async (key) => {
      seen.push(await rowOf(key));
      return 200;
    };
    const id = await offer();
    const row = await until('it is stored', () => rowOf(id));
    expect(seen).toEqual([null]);
    expect(row).toMatchObject({ state: 'delivered', claim: 1, tries: 1, owner: null, provider_message_id: null });
    expect(row.ended_at).not.toBeNull();
    expect(row.content.text).toBe('hello');
    expect(await deliveries.journalOf(id)).toEqual(['delivered']);
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ attempts: 1, provider_message_id: id });
  });

  it.each<[string, string | null, number, string[]]>([
    ['stored once it has arrived', null, 1, ['channel_address']],
    ['stored before it arrives', null, 2, ['channel_address']],
    ['of a thread', 't1', 1, ['channel_address', 'thread_id']],
  ])('has a target without what its row says, and is shown it whole: %s', async (_title, thread, tries, kept) => {
    answer = (_key, nth) => Promise.resolve(nth < tries ? 503 : 200);
    const reply = { ...deliveryOf(app, { address: receiver.url, thread }), turn_id: newId('trn') };
    const id = await offer(reply);
    const { content, provider_message_id } = await deliveries.inState(id, 'delivered');
    expect([content, provider_message_id]).toEqual([reply.content, id]);
    expect((await rowOf(id)).provider_message_id).toBeNull();
    expect(Object.keys((await rowOf(id)).content.target).sort()).toEqual(kept);
    const [listed] = (await world.call('GET', `deliveries?event_id=${reply.receipt_id}`)).body.data;
    expect(listed?.content).toEqual(reply.content);
    // As rows of before have it.
    const before = 'UPDATE gateway.delivery SET content = $2, provider_message_id = id WHERE id = $1';
    await world.pool.query(before, [id, reply.content]);
    expect(await deliveries.read(id)).toMatchObject({ content: reply.content, provider_message_id: id });
  });

  it('gets its row, under a lease, when the answer does not come soon', async () => {
    answer = async (key) => {
      await until('it has a row', () => rowOf(key));
      expect(await rowOf(key)).toMatchObject({ state: 'sending', claim: 1, owner: expect.any(String) });
      return 200;
    };
    const id = await offer();
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ attempts: 1 });
    expect(await rowOf(id)).toMatchObject({ claim: 1 });
    expect(keys).toEqual([id]);
  });

  it('is followed by others when it fails, under the same key', async () => {
    answer = (_key, nth) => Promise.resolve(nth === 1 ? 503 : 200);
    const id = await offer();
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ attempts: 2 });
    expect(keys).toEqual([id, id]);
    expect(await deliveries.journalOf(id)).toEqual(['retrying provider_unavailable', 'delivered']);
  });

  it.each<[string, () => DeliverySendPayload]>([
    ['a reply that is offered again', () => ({ ...replyOf(), custody: { resent: true } })],
    ['a message that a service sends by call', () => ({ ...replyOf(), turn_id: null })],
  ])('comes after the row of %s', async (_what, reply) => {
    const seen: unknown[] = [];
    answer = async (key) => {
      seen.push((await rowOf(key))?.state);
      return 200;
    };
    await deliveries.inState(await offer(reply()), 'delivered');
    expect(seen).toEqual(['sending']);
  });

  it('is not made for a job that waited so long that the reply may have been offered again', async () => {
    answer = () => Promise.resolve(200);
    const reply = replyOf();
    await deliveries.inState(await offer(reply), 'delivered');
    const service = world.app.get(DeliveryService, { strict: false });
    const late = { waiting: <T>(wait: Promise<T>) => wait, waitedMs: () => firstAttemptWithinMs };
    await service.send(reply, late);
    // It would be in flight by then: what comes later in the same process is done.
    await deliveries.inState(await offer(), 'delivered');
    expect(keys.filter((key) => key === reply.delivery_id)).toHaveLength(1);
  });

  it('ends once when another process has the row meanwhile', async () => {
    answer = async (key, nth) => {
      // The first attempt is answered when the second one, of the reply that was offered again, is in flight.
      await until('both are in flight', () => keys.length === 2);
      if (nth === 1) await until('it has arrived', async () => (await rowOf(key))?.state === 'delivered');
      return 200;
    };
    const reply = replyOf();
    await offer(reply);
    await until('the first is in flight', () => keys.length === 1);
    const resent = { payload: { ...reply, custody: { resent: true } }, attempts: 0, addedAtMs: Date.now() };
    await world.jobs.republish(deliverySend, resent, 1);
    await deliveries.inState(reply.delivery_id, 'delivered');
    // It ends when both attempts are recorded.
    await world.app.get(DeliveryService, { strict: false }).beforeApplicationShutdown();
    expect(keys).toEqual([reply.delivery_id, reply.delivery_id]);
    expect(await deliveries.journalOf(reply.delivery_id)).toEqual(['delivered']);
  });
});
