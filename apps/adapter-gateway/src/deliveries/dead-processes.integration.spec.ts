import { deliverySend, type DeliverySendPayload, newId } from '#libs/contracts';
import { Liveness } from '#libs/database';
import { JobClient } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import pg from 'pg';
import { InboundWaitRepository } from '../inbound/inbound-wait.repository.js';
import { gatewayWorld, type GatewayWorld, home } from '../testing/gateway-world.js';
import { fakeAdapter, type FakeAdapter } from '../testing/fake-adapter.js';
import { DeliveryRepository } from './delivery.repository.js';

describe('what a gateway had in hand when it died', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let jobs: JobClient;
  let deliveries: DeliveryRepository;
  let waits: InboundWaitRepository;
  let liveness: Liveness;
  let slow: pg.Client;
  let app: string;

  beforeAll(async () => {
    world = await gatewayWorld();
    const gateway = await world.start();
    deliveries = gateway.get(DeliveryRepository, { strict: false });
    waits = gateway.get(InboundWaitRepository, { strict: false });
    liveness = gateway.get(Liveness, { strict: false });
    jobs = new JobClient(testRedisUrl());
    adapter = await fakeAdapter('mortal');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    await world.call('POST', 'adapters', { url: adapter.url });
    app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body.id;
    slow = new pg.Client({ connectionString: world.pool.options.connectionString, application_name: 'live_slow' });
    await slow.connect();
  });
  afterAll(async () => {
    await slow.end();
    await adapter.close();
    await jobs.close();
    await world.close();
  });

  const job = (): DeliverySendPayload => ({
    delivery_id: newId('dlv'),
    receipt_id: newId('evt'),
    turn_id: null,
    organization_id: home.organizationId,
    project_id: home.projectId,
    content: { text: 'hello', target: { app_id: app, channel_address: 'room', thread_id: null, reply_context: null } },
  });
  const row = async (id: string) =>
    (await world.pool.query('SELECT * FROM gateway.delivery WHERE id = $1', [id])).rows[0];

  it('is attempted again at once, and nothing of one that is only slow', async () => {
    const [ofDead, ofSlow] = [job(), job()];
    await deliveries.claim([ofDead], 'live_dead', 3_600_000);
    await deliveries.claim([ofSlow], 'live_slow', 3_600_000);
    liveness.noteLoss('a test');
    await until('it is delivered', async () => (await row(ofDead.delivery_id)).state === 'delivered');
    expect(await row(ofDead.delivery_id)).toMatchObject({ claims: 2 });
    expect(await row(ofSlow.delivery_id)).toMatchObject({ state: 'sending', claims: 1, lease_owner: 'live_slow' });
  });

  it('is told of by who took over: what the other one says counts only where it has arrived', async () => {
    const one = job();
    const [first] = await deliveries.claim([one], 'slow', 1);
    await until('its lease is over', async () => (await deliveries.claim([one], 'live_slow', 60_000)).length === 1);
    const { id, claims } = first ?? { id: '', claims: 0 };
    const said = {
      id,
      claims,
      from_part: 0,
      attempts: 1,
      moved_to: null,
      error: null,
      error_detail: null,
      entry: null,
    };
    const open = { provider_message_id: null, lease_until: new Date() };
    expect((await deliveries.record([{ ...said, ...open, state: 'queued' }], [])).size).toBe(0);
    expect(await row(id)).toMatchObject({ state: 'sending', claims: 2 });
    const arrived = { provider_message_id: 'm', lease_until: null };
    expect((await deliveries.record([{ ...said, ...arrived, state: 'delivered' }], [])).size).toBe(1);
  });

  it('numbers each attempt once, also where a pause costs none and after a redrive', async () => {
    let asked = 0;
    adapter.routes['deliver'] = (_body, response) => {
      asked += 1;
      if (asked < 3) return void response.writeHead(429, { 'retry-after': '0' }).end();
      return asked === 3
        ? { ok: false, error: 'channel_not_found', error_detail: { code: 'x', message: 'x', retryable: false } }
        : { ok: true, message_id: 'm' };
    };
    const one = job();
    await jobs.enqueue(deliverySend, one);
    await until('it is dead', async () => (await row(one.delivery_id))?.state === 'dead');
    await world.call('POST', `deliveries/${one.delivery_id}/redrive`);
    await until('it is delivered', async () => (await row(one.delivery_id)).state === 'delivered');
    const { rows } = await world.pool.query<{ attempt: number; outcome: string }>(
      `SELECT attempt, outcome FROM journal.entry WHERE subject_id = $1 AND outcome <> 'redriven' ORDER BY at`,
      [one.delivery_id],
    );
    const numbers = rows.filter(({ outcome }) => outcome !== 'running').map(({ attempt }) => attempt);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers.at(-1)).toBe(4);
  });

  it('is parsed again at once where it had waited for its adapter', async () => {
    const wait = (id: string, by: string) =>
      world.pool.query(
        `INSERT INTO gateway.inbound_wait (receipt_id, adapter_id, job, attempts, code, taken, taken_by, next_at, waiting_since)
         VALUES ($1, 'adp_none', '{}', 1, 'timeout', true, $2, now() + interval '1 hour', now())`,
        [id, by],
      );
    await wait('evt_dead', 'live_dead');
    await wait('evt_slow', 'live_slow');
    await waits.takeFromGone();
    const { rows } = await world.pool.query('SELECT receipt_id FROM gateway.inbound_wait WHERE next_at <= now()');
    expect(rows).toEqual([{ receipt_id: 'evt_dead' }]);
  });
});
