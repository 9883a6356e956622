import type { DeliverySendPayload } from '#libs/contracts';
import { Liveness } from '#libs/database';
import { everyEntry } from '#libs/journal';
import { failingUpdates, until } from '#libs/testing';
import pg from 'pg';
import { InboundWaitRepository } from '../inbound/inbound.repository.js';
import { Deliveries, deliveryOf } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { fakeAdapter, type FakeAdapter } from '../../testing/fake-adapter.js';
import { type ClaimedDelivery, DeliveryRepository } from './delivery.repository.js';
import { deliveryOutcome } from './delivery.verdict.js';

describe('what a gateway had in flight when it died', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let asked: Deliveries;
  let deliveries: DeliveryRepository;
  let waits: InboundWaitRepository;
  let liveness: Liveness;
  let slow: pg.Client;
  let app: string;

  beforeAll(async () => {
    adapter = await fakeAdapter('mortal');
    world = await startGateway({}, adapter);
    deliveries = world.app.get(DeliveryRepository, { strict: false });
    waits = world.app.get(InboundWaitRepository, { strict: false });
    liveness = world.app.get(Liveness, { strict: false });
    asked = new Deliveries(world);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    app = (await world.install(adapter)).id;
    slow = new pg.Client({ connectionString: world.pool.options.connectionString, application_name: 'live_slow' });
    await slow.connect();
  });
  afterAll(async () => {
    await slow.end();
    await world.close();
  });

  const row = async (id: string) =>
    (await world.pool.query('SELECT * FROM gateway.delivery WHERE id = $1', [id])).rows[0];

  /** Claims a delivery as another process would. */
  const claimedBy = async (owner: string, job: DeliverySendPayload): Promise<ClaimedDelivery> => {
    const [claimed] = await deliveries.claim([job]);
    await world.pool.query(
      `UPDATE gateway.delivery SET owner = $2, lease_until = now() + interval '1 hour' WHERE id = $1`,
      [job.delivery_id, owner],
    );
    return claimed!;
  };

  it('is attempted again at once, unless the process is only slow', async () => {
    const [ofDead, ofSlow] = [deliveryOf(app), deliveryOf(app)];
    await claimedBy('live_dead', ofDead);
    await claimedBy('live_slow', ofSlow);
    liveness.noteLoss('a test');
    await until('it is delivered', async () => (await row(ofDead.delivery_id)).state === 'delivered');
    expect(await row(ofDead.delivery_id)).toMatchObject({ claim: 2 });
    expect(await row(ofSlow.delivery_id)).toMatchObject({ state: 'sending', claim: 1, owner: 'live_slow' });
  });

  it('is delivered once, though Postgres was away when it was to be stored', async () => {
    let calls = 0;
    adapter.routes['deliver'] = async () => {
      calls += 1;
      if (calls === 1) await failing.times(3);
      return { ok: true, message_id: 'once' };
    };
    const failing = await failingUpdates(world.pool, 'gateway.delivery', `NEW.state = 'delivered'`);
    const id = await asked.send(app);
    await until('it is delivered', async () => (await row(id))?.state === 'delivered');
    expect(await row(id)).toMatchObject({ claim: 1, provider_message_id: 'once' });
    expect(calls).toBe(1);
    expect(await failing.left()).toBe(0);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
  });

  it('is reported by the process that took over: a report of the old one counts only if the reply arrived', async () => {
    const one = deliveryOf(app);
    const first = await claimedBy('live_slow', one);
    const { id } = first;
    await world.pool.query(`UPDATE gateway.delivery SET claim = claim + 1 WHERE id = $1`, [id]);
    const limits = { DELIVERY_RETRY_FOR_MS: 1_000, DELIVERY_RETRY_PAUSE_MAX_MS: 1_000, DELIVERY_MAX_AGE_MS: 60_000 };
    const failed = deliveryOutcome(first, { error: new Error('away') }, limits);
    expect((await deliveries.record([failed], [])).size).toBe(0);
    expect(await row(id)).toMatchObject({ state: 'sending', claim: 2 });
    const arrived = deliveryOutcome(first, { result: { ok: true, message_id: 'm' } }, limits);
    expect((await deliveries.record([arrived], [])).size).toBe(1);
    expect(await row(id)).toMatchObject({ state: 'delivered', provider_message_id: 'm', owner: null });
  });

  it('gets one number per attempt, also where a pause costs none and after a redrive', async () => {
    let calls = 0;
    adapter.routes['deliver'] = (_body, response) => {
      calls += 1;
      if (calls < 3) return void response.writeHead(429, { 'retry-after': '0' }).end();
      return calls === 3
        ? { ok: false, error: 'channel_not_found', error_detail: { code: 'x', message: 'x', retryable: false } }
        : { ok: true, message_id: 'm' };
    };
    const id = await asked.send(app);
    await until('it is dead', async () => (await row(id))?.state === 'dead');
    await world.call('POST', `deliveries/${id}/redrive`);
    await until('it is delivered', async () => (await row(id)).state === 'delivered');
    const { rows } = await world.pool.query<{ attempt: number; outcome: string }>(
      `SELECT attempt, outcome FROM ${everyEntry} e WHERE subject_id = $1 AND outcome <> 'redriven' ORDER BY at`,
      [id],
    );
    const numbers = rows.filter(({ outcome }) => outcome !== 'running').map(({ attempt }) => attempt);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers.at(-1)).toBe(4);
  });

  it('is for a person to settle when the call had begun, and nobody can be asked', async () => {
    const [job, during] = [deliveryOf(app), [] as unknown[]];
    adapter.routes['deliver'] = async () => {
      during.push(await row(job.delivery_id));
      return { ok: true, message_id: 'by hand' };
    };
    const claimed = await claimedBy('live_dead', job);
    expect(await deliveries.markSending(claimed)).toBe(true);
    liveness.noteLoss('a test');
    await until('it is unknown', async () => (await row(job.delivery_id)).state === 'unknown');
    expect(await row(job.delivery_id)).toMatchObject({ reason: 'answer_lost', claim: 2 });
    expect(during).toEqual([]);
    expect(await deliveries.markSending(claimed)).toBe(false);
    await world.call('POST', `deliveries/${job.delivery_id}/redrive`);
    await until('it is delivered', async () => (await row(job.delivery_id)).state === 'delivered');
    expect(during).toMatchObject([{ state: 'sending', reason: 'answer_lost' }]);
    expect(await row(job.delivery_id)).toMatchObject({ reason: null, provider_message_id: 'by hand' });
  });

  it('is looked up before it is sent again, though its adapter was not ready in between', async () => {
    const asking = await fakeAdapter('asking', { message: { lookup: true } });
    asking.routes['deliver'] = () => ({ ok: true, message_id: 'twice' });
    asking.routes['deliver/lookup'] = () => ({ found: true, message_id: 'once' });
    const job = deliveryOf((await world.install(asking)).id);
    const claimed = await claimedBy('live_dead', job);
    await deliveries.markSending(claimed);
    asking.health['status'] = 'starting';
    await until('it is not ready', async () => {
      const { rows } = await world.pool.query(`SELECT state FROM gateway.adapter WHERE slug = 'asking'`);
      return rows[0].state === 'unready';
    });
    liveness.noteLoss('a test');
    await until('it waits for its adapter', async () => (await row(job.delivery_id)).state === 'queued');
    asking.health['status'] = 'ready';
    await until('it is delivered', async () => (await row(job.delivery_id)).state === 'delivered');
    expect(await row(job.delivery_id)).toMatchObject({ provider_message_id: 'once' });
    expect(asking.bodiesOf('deliver')).toEqual([]);
    await asking.close();
  });

  it('is parsed again at once where it waited for its adapter', async () => {
    // Receipts of a disabled adapter are neither taken, nor removed as for an unregistered one.
    await world.pool.query('UPDATE gateway.adapter SET disabled = true');
    const wait = (id: string, by: string) =>
      world.pool.query(
        `INSERT INTO gateway.inbound_wait (receipt_id, adapter_id, job, tries, reason, state, owner, lease_until, blocked_since)
         VALUES ($1, (SELECT id FROM gateway.adapter LIMIT 1), '{}', 1, 'timeout', 'running', $2, now() + interval '1 hour', now())`,
        [id, by],
      );
    await wait('evt_dead', 'live_dead');
    await wait('evt_slow', 'live_slow');
    await waits.work.freeGone(null);
    const { rows } = await world.pool.query(
      `SELECT receipt_id FROM gateway.inbound_wait WHERE lease_until > now() + interval '30 minutes'`,
    );
    expect(rows).toEqual([{ receipt_id: 'evt_slow' }]);
  });
});
