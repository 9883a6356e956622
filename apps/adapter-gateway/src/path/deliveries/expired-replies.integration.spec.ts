import { newId } from '#libs/contracts';
import { home, until } from '#libs/testing';
import { Deliveries, deliveryOf } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, type TestServer } from '../../testing/http-server.js';

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;
let receiver: TestServer;
let status: number;

beforeAll(async () => {
  world = await startGateway({ DELIVERY_RETRY_PAUSE_MAX_MS: 100 });
  deliveries = new Deliveries(world);
  receiver = await httpServer((_path, _body, response) => void response.writeHead(status).end());
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});
beforeEach(() => {
  status = 503;
});
afterEach(() => adapter?.close());

const install = async (message: object = {}): Promise<void> => {
  adapter = await fakeAdapter(`late-${Math.random().toString(36).slice(2, 8)}`, { message });
  adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
  app = (await world.install(adapter)).id;
};

/** A delivery whose process died after the call had begun, and that has expired since. */
const inDoubt = async (): Promise<string> => {
  const { content, receipt_id: receipt } = deliveryOf(app, { ttl: 60 });
  const id = newId('dlv');
  await world.pool.query(
    `INSERT INTO gateway.delivery (id, organization_id, project_id, app_id, receipt_id, content, state, tries, from_part,
       lease_until, created_at, open_since, reason)
     VALUES ($1, $2, $3, $4, $5, $6, 'sending', 1, 0, now() - interval '1 minute', now(), now() - interval '1 hour', 'answer_lost')`,
    [id, home.organizationId, home.projectId, app, receipt, JSON.stringify(content)],
  );
  return id;
};

describe('a reply that would come too late', () => {
  it('expires with the last failure, is no dead letter, and is sent when a person redrives it', async () => {
    await install();
    const detail = { message: 'away', retryable: true };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'provider_unavailable', error_detail: detail });
    const id = await deliveries.send(app, { ttl: 3 });
    const row = await deliveries.inState(id, 'expired', 'dead', 'delivered');
    expect(row).toMatchObject({ state: 'expired', error: 'too_late', settled_at: expect.any(String) });
    expect(row.error_detail).toMatch(/^It was worth sending for 3 seconds .*provider_unavailable, away$/);
    expect((await deliveries.journalOf(id)).at(-1)).toBe('expired too_late');
    const letters = await world.pool.query('SELECT FROM journal.dead_letter WHERE subject_id = $1', [id]);
    expect(letters.rowCount).toBe(0);
    expect((await world.call('GET', 'deliveries?state=expired')).body.data.map((one) => one.id)).toContain(id);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    expect((await world.call('POST', `deliveries/${id}/redrive`)).status).toBe(202);
    await deliveries.inState(id, 'delivered');
  });

  it('expires at once when the provider wants it again only after that', async () => {
    await install();
    const detail = { message: 'slow down', retryable: true, retry_after: 3_600 };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'rate_limited', error_detail: detail });
    expect(await deliveries.inState(await deliveries.send(app, { ttl: 600 }), 'expired')).toMatchObject({
      error_detail: expect.stringContaining('rate_limited, slow down'),
    });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
  });

  it('expires while its adapter is not ready, without a call', async () => {
    await install();
    adapter.health['status'] = 'draining';
    await until('it is not ready', async () => {
      const { rows } = await world.pool.query('SELECT state FROM gateway.adapter WHERE slug = $1', [adapter.slug]);
      return rows[0].state === 'unready';
    });
    // A gateway may have read the adapter just before.
    await until('a reply waits for it', async () => {
      const row = await deliveries.inState(await deliveries.send(app, { ttl: 2 }), 'expired', 'delivered');
      return row.state === 'expired' && row.error_detail?.includes('adapter_unready');
    });
  });

  it('expires in the built-in Webhook App too', async () => {
    const { id: hook } = (await world.call('POST', 'apps', { name: 'Hook', kind: 'builtin' })).body;
    const id = await deliveries.send(hook, { address: receiver.url, ttl: 3 });
    expect(await deliveries.inState(id, 'expired', 'dead')).toMatchObject({ state: 'expired', error: 'too_late' });
  });

  it('is delivered when it arrives in time', async () => {
    await install();
    await deliveries.inState(await deliveries.send(app, { ttl: 600 }), 'delivered');
  });

  it('is asked for first when it may have arrived, and expires when it did not', async () => {
    await install({ lookup: true });
    adapter.routes['deliver/lookup'] = () => ({ found: false });
    expect(await deliveries.inState(await inDoubt(), 'expired', 'unknown')).toMatchObject({ state: 'expired' });
    adapter.routes['deliver/lookup'] = () => ({ found: true, message_id: 'there' });
    await deliveries.inState(await inDoubt(), 'delivered');
    expect(adapter.bodiesOf('deliver')).toEqual([]);
  });

  it('is unknown, and not sent again, when it may have arrived and nobody can be asked', async () => {
    await install({ idempotent: true });
    expect(await deliveries.inState(await inDoubt(), 'expired', 'unknown')).toMatchObject({ state: 'unknown' });
    expect(adapter.bodiesOf('deliver')).toEqual([]);
  });
});
