import { noLimits, ProjectLimits } from '#libs/project-limits';
import { home, until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;
let gateways: Awaited<ReturnType<GatewayWorld['start']>>[];

beforeAll(async () => {
  // A delivery that is not expedited would wait for its adapter for a minute.
  world = await startGateway({ HEALTH_POLL_MAX_MS: 60_000, ADAPTER_TIMEOUT_MS: 5_000 });
  gateways = [world.app, await world.start()];
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
  adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
});
afterEach(() => adapter.close());

const install = async (): Promise<void> => {
  app = (await world.install(adapter)).id;
};

describe('a delivery', () => {
  it('is sent without the characters that Postgres refuses', async () => {
    await install();
    await deliveries.inState(await deliveries.send(app, { text: 'nul \0 and lone \ud800' }), 'delivered');
    expect(adapter.bodiesOf('deliver')[0]?.message.text).toBe('nul \ufffd and lone \ufffd');
  });

  it('always has a thread_id: an empty text where there is no thread', async () => {
    await install();
    for (const thread of ['t-1', null, ''])
      await deliveries.inState(await deliveries.send(app, { thread }), 'delivered');
    expect(adapter.bodiesOf('deliver').map(({ message }) => message.thread_id)).toEqual(['t-1', '', '']);
  });

  it('is formatted with the credentials that it is sent with', async () => {
    world.vault.credentials.set(adapter.slug, { TOKEN: 'a-secret-token' });
    await world.call('POST', 'adapters', { url: adapter.url });
    const installed = await world.call('POST', `listings/${adapter.slug}/install`, { credential_id: adapter.slug });
    await deliveries.inState(await deliveries.send(installed.body.id), 'delivered');
    for (const route of ['format', 'deliver']) {
      expect(adapter.bodiesOf(route).map(({ credentials }) => credentials.token)).toEqual(['a-secret-token']);
    }
  });

  it('that fails at part 3 of 5 resumes there, and posts every part once', async () => {
    await install();
    const posted: number[] = [];
    let failed = false;
    adapter.routes['deliver'] = ({ from_part: from }) => {
      for (let part = from; part < 5; part += 1) {
        if (part === 2 && !failed) {
          failed = true;
          const detail = { message: 'try later', retryable: true, retry_after: 0.05 };
          return { ok: false, error: 'rate_limited', error_detail: detail, delivered_parts: 2 };
        }
        posted.push(part);
      }
      return { ok: true, message_id: 'last' };
    };
    const id = await deliveries.send(app);
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ provider_message_id: 'last', attempts: 1 });
    expect(posted).toEqual([0, 1, 2, 3, 4]);
    expect(adapter.bodiesOf('deliver').map(({ idempotency_key: key }) => key)).toEqual([id, id]);
  });

  it('whose address has moved goes to the new one, and never in circles', async () => {
    await install();
    const moves: Record<string, string> = { 'room-1': 'room-2', 'circle-1': 'circle-2', 'circle-2': 'circle-1' };
    adapter.routes['deliver'] = ({ channel_address: address }) => {
      const movedTo = moves[address];
      if (!movedTo) return { ok: true, message_id: `in ${address}` };
      const detail = { message: 'it has moved', retryable: false, channel_address: movedTo };
      return { ok: false, error: 'address_moved', error_detail: detail };
    };
    const [id, circling] = [
      await deliveries.send(app, { address: 'room-1' }),
      await deliveries.send(app, { address: 'circle-1' }),
    ];
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ provider_message_id: 'in room-2', attempts: 2 });
    expect(await deliveries.inState(circling, 'dead')).toMatchObject({ error: 'address_moved' });
    expect(
      adapter.bodiesOf('deliver').filter(({ idempotency_key: key }) => key === circling).length,
    ).toBeLessThanOrEqual(3);
  });

  it('is rescheduled when a Retry-After says so, at the cost of no attempt', async () => {
    await install();
    let refused = 0;
    adapter.routes['deliver'] = (_body, response) => {
      refused += 1;
      if (refused > 2) return { ok: true, message_id: 'm' };
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' }).end('{}');
      return undefined;
    };
    const startMs = Date.now();
    expect(await deliveries.inState(await deliveries.send(app), 'delivered')).toMatchObject({ attempts: 1 });
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(2_000);
  });

  it('waits while the adapter is not ready, says so once, and continues when it is', async () => {
    await install();
    adapter.health.status = 'draining';
    await until('it is not ready', async () => {
      const { rows } = await world.pool.query('SELECT state FROM gateway.adapter WHERE slug = $1', [adapter.slug]);
      return rows[0].state === 'unready';
    });
    const id = await until('the pause has reached everyone', async () => {
      const sent = await deliveries.send(app);
      const row = await until('it was looked at', async () => {
        const now = await deliveries.read(sent);
        return now.state === 'delivered' || now.error ? now : null;
      });
      return row.error ? sent : null;
    });
    expect(await deliveries.read(id)).toMatchObject({ state: 'queued', error: 'adapter_unready' });
    expect((await deliveries.read(id)).error_detail).toContain('status is "draining"');
    const before = adapter.bodiesOf('deliver').length;
    const { rows } = await world.pool.query('SELECT failed_polls FROM gateway.adapter WHERE slug = $1', [adapter.slug]);
    await until('it was polled twice more', async () => {
      const now = await world.pool.query('SELECT failed_polls AS n FROM gateway.adapter WHERE slug = $1', [
        adapter.slug,
      ]);
      return now.rows[0].n >= rows[0].failed_polls + 2;
    });
    expect(adapter.bodiesOf('deliver')).toHaveLength(before);
    adapter.health.status = 'ready';
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ attempts: 1, error: null });
    await until('the journal has it', async () => (await deliveries.journalOf(id)).length === 2);
    expect(await deliveries.journalOf(id)).toEqual(['retrying adapter_unready', 'delivered']);
  });

  it('that died and is attempted again updates its dead letter', async () => {
    await install();
    const detail = { message: 'no such room', retryable: false };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'channel_not_found', error_detail: detail });
    const id = await deliveries.send(app);
    await deliveries.inState(id, 'dead');
    const letter = (state: string) =>
      until(`the letter is ${state}`, async () => {
        const { rows } = await world.pool.query('SELECT state FROM journal.dead_letter WHERE subject_id = $1', [id]);
        return rows[0]?.state === state;
      });
    await letter('open');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm2' });
    await world.call('POST', `deliveries/${id}/redrive`);
    await letter('redriving');
    await deliveries.inState(id, 'delivered');
  });

  it('stays within the rate of its address, over all replicas together', async () => {
    adapter.manifest.message = { rate_per_address: { count: 2, seconds: 1 } };
    await install();
    const arrivals: [string, number][] = [];
    adapter.routes['deliver'] = ({ channel_address: address }) => {
      arrivals.push([address, Date.now()]);
      return { ok: true, message_id: 'm' };
    };
    const startMs = Date.now();
    const slow = await Promise.all(Array.from({ length: 6 }, () => deliveries.send(app, { address: 'busy' })));
    const quick = await deliveries.send(app, { address: 'quiet' });
    await deliveries.inState(quick, 'delivered');
    for (const id of slow) await deliveries.inState(id, 'delivered');
    const times = arrivals.flatMap(([address, at]) => (address === 'busy' ? [at - startMs] : [])).sort((a, b) => a - b);
    expect(times).toHaveLength(6);
    // One each half second, since the first was sent. A call may take any time, and two clocks differ by a little.
    for (const [n, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(500 * n - 20);
    expect((await deliveries.read(slow[5]!)).attempts).toBe(1);
  });

  it('keeps to the limit that its project has for an address, and says so', async () => {
    adapter.manifest.message = {};
    await install();
    const limit = async (perMinute: number | null): Promise<void> => {
      const limits = { ...noLimits, deliveries_per_address_per_minute: perMinute };
      for (const gateway of gateways) {
        await gateway.get(ProjectLimits, { strict: false }).set(home.organizationId, home.projectId, limits);
      }
    };
    await limit(1);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    const first = await deliveries.send(app, { address: 'limited' });
    await deliveries.inState(first, 'delivered');
    const second = await deliveries.send(app, { address: 'limited' });
    await until('it waits for its turn', async () => (await deliveries.read(second)).error === 'address_rate');
    expect(await deliveries.read(second)).toMatchObject({ state: 'queued', attempts: 0 });
    expect((await deliveries.read(second)).error_detail).toMatch(
      /1 messages in 60 s.*deliveries_per_address_per_minute of the project/,
    );
    await limit(null);
  });
});
