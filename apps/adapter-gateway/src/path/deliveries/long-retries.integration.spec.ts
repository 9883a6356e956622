import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, type TestServer } from '../../testing/http-server.js';

/** More than a queue's job is tried. */
const failures = 15;

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;
let receiver: TestServer;
/** Calls that the receiver of the built-in App still refuses. */
let refusals = 0;

beforeAll(async () => {
  adapter = await fakeAdapter('patient', { message: { idempotent: true } });
  receiver = await httpServer((_path, _body, response) => {
    refusals -= 1;
    response.writeHead(refusals < 0 ? 200 : 503).end();
  });
  const settings = { DELIVERY_RETRY_PAUSE_MAX_MS: 100, DELIVERY_RETRY_FOR_MS: 3_600_000 };
  world = await startGateway(settings, adapter, receiver);
  deliveries = new Deliveries(world);
  app = (await world.install(adapter)).id;
});
afterAll(() => world.close());

describe('a delivery whose receiver is away for long', () => {
  it.each([
    ['provider_unavailable', { retryable: true }],
    ['rate_limited', { retryable: true }],
    ['timeout', { retryable: true }],
    ['invalid_request', { retryable: true, provider_status: 450 }],
  ])('is tried until it arrives when its adapter answers %s', async (error, detail) => {
    let calls = 0;
    adapter.routes['deliver'] = () => {
      calls += 1;
      return calls > failures
        ? { ok: true, message_id: 'at last' }
        : { ok: false, error, error_detail: { message: 'greylisted', ...detail } };
    };
    const id = await deliveries.send(app);
    const failing = await until('it fails', async () => {
      const row = await deliveries.read(id);
      return row?.failing_since && row.state === 'queued' ? row : null;
    });
    expect(failing).toMatchObject({ error, error_detail: 'greylisted', lease_until: expect.any(String) });
    expect(await deliveries.inState(id, 'delivered', 'dead')).toMatchObject({
      state: 'delivered',
      attempts: failures + 1,
      failing_since: null,
    });
  });

  it('is tried until it arrives when it is of the built-in Webhook App, and the timeline says when', async () => {
    const { id: hook } = (await world.call('POST', 'apps', { name: 'Hook', kind: 'builtin' })).body;
    refusals = failures;
    const id = await deliveries.send(hook, { address: receiver.url });
    expect(await deliveries.inState(id, 'delivered', 'dead')).toMatchObject({ state: 'delivered' });
    const { rows } = await world.pool.query(
      `SELECT attempt, detail ->> 'next_at' AS next_at FROM ${everyEntry} e
        WHERE subject_id = $1 AND outcome = 'retrying' ORDER BY at`,
      [id],
    );
    // The first ones, and each that doubles their number.
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 8]);
    for (const { next_at: at } of rows) expect(Date.parse(at)).toBeGreaterThan(0);
  });

  it('is under Needs attention and counted while it waits, and has an entry when its failure is another one', async () => {
    let calls = 0;
    adapter.routes['deliver'] = () => {
      calls += 1;
      const error = calls < 6 ? 'provider_unavailable' : 'rate_limited';
      const detail = { message: 'later', retryable: true, ...(calls < 6 ? {} : { retry_after: 3_600 }) };
      return { ok: false, error, error_detail: detail };
    };
    const id = await deliveries.send(app);
    await until('it waits for an hour', async () => (await deliveries.read(id))?.error === 'rate_limited');
    expect(await deliveries.journalOf(id)).toEqual([
      ...Array<string>(4).fill('retrying provider_unavailable'),
      'retrying rate_limited',
    ]);
    const { data } = (await world.internal('GET', 'attention')).body;
    const item = data.find(({ code }) => code === 'replies_wait');
    expect(item).toMatchObject({ count: 1, severity: 'warning', resource: { kind: 'app', id: app } });
    expect(item?.text).toMatch(/1 reply waits to be sent again \(rate_limited\)\. The next attempt is at 20/);
    await world.pool.query(`UPDATE gateway.delivery SET state = 'dead' WHERE id = $1`, [id]);
  });

  it('is dead when the time is over, and a redrive gives it the whole time again', async () => {
    const detail = { message: 'away', retryable: true };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'provider_unavailable', error_detail: detail });
    const id = await deliveries.send(app);
    await until('its first failure was a day ago', async () => {
      const past = await world.pool.query(
        `UPDATE gateway.delivery SET blocked_since = now() - interval '1 day' WHERE id = $1 AND state = 'queued'`,
        [id],
      );
      return past.rowCount === 1;
    });
    const dead = await deliveries.inState(id, 'dead');
    expect(dead.error_detail).toMatch(/^All attempts failed for 60 minutes \(DELIVERY_RETRY_FOR_MS\).*away$/);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    await world.call('POST', `deliveries/${id}/redrive`);
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ failing_since: null });
  });
});
