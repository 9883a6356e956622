import type { ServerResponse } from 'node:http';
import { deliverySend, newId } from '#libs/contracts';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import { JobClient } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import { gatewayWorld, type GatewayWorld, home } from '../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;
let jobs: JobClient;
let gateways: Awaited<ReturnType<GatewayWorld['start']>>[];

beforeAll(async () => {
  world = await gatewayWorld();
  // Without being woken, a delivery that waits for its adapter would wait for a minute.
  const settings = { HEALTH_POLL_MAX_MS: 60_000, ADAPTER_TIMEOUT_MS: 5_000 };
  gateways = await Promise.all([world.start(settings), world.start(settings)]);
  jobs = new JobClient(testRedisUrl());
});
afterAll(async () => {
  await jobs.close();
  await world.close();
});

beforeEach(async () => {
  adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
  adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
});
afterEach(() => adapter.close());

async function install(): Promise<void> {
  await world.call('POST', 'adapters', { url: adapter.url });
  app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body.id;
}

/** As the engine asks for it. */
async function send(address = 'room-1', text = 'hello', thread: string | null = null): Promise<string> {
  const id = newId('dlv');
  const content = { text, target: { app_id: app, channel_address: address, thread_id: thread, reply_context: null } };
  await jobs.enqueue(deliverySend, {
    delivery_id: id,
    organization_id: home.organizationId,
    project_id: home.projectId,
    receipt_id: newId('evt'),
    turn_id: null,
    content,
  });
  return id;
}

const delivery = async (id: string) => (await world.call('GET', `deliveries/${id}`)).body;
const inState = (id: string, state: string) =>
  until(`the delivery is ${state}`, async () => {
    const row = await delivery(id);
    return row.state === state ? row : null;
  });
const deliverCalls = () => adapter.calls.filter(({ route }) => route === 'deliver').map(({ body }) => body);
const journalOf = async (id: string): Promise<string[]> => {
  const { rows } = await world.pool.query(
    'SELECT outcome, reason FROM journal.entry WHERE subject_id = $1 ORDER BY at',
    [id],
  );
  return rows.map(({ outcome, reason }) => [outcome, reason].filter(Boolean).join(' '));
};

describe('a delivery', () => {
  it('is sent without the characters that Postgres refuses', async () => {
    await install();
    await inState(await send('room-1', 'nul \0 and lone \ud800'), 'delivered');
    expect(deliverCalls()[0]?.message.text).toBe('nul \ufffd and lone \ufffd');
  });

  it('that fails at part 3 of 5 goes on there, and every part is posted once', async () => {
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
    const id = await send();
    expect(await inState(id, 'delivered')).toMatchObject({ provider_message_id: 'last', attempts: 1 });
    expect(posted).toEqual([0, 1, 2, 3, 4]);
    expect(deliverCalls().map(({ idempotency_key: key }) => key)).toEqual([id, id]);
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
    const [id, circling] = [await send('room-1'), await send('circle-1')];
    expect(await inState(id, 'delivered')).toMatchObject({ provider_message_id: 'in room-2', attempts: 2 });
    expect(await inState(circling, 'dead')).toMatchObject({ error: 'address_moved' });
    expect(deliverCalls().filter(({ idempotency_key: key }) => key === circling).length).toBeLessThanOrEqual(3);
  });

  it('comes back when a Retry-After says so, at the cost of no attempt', async () => {
    await install();
    let refused = 0;
    adapter.routes['deliver'] = (_body, response) => {
      refused += 1;
      if (refused > 2) return { ok: true, message_id: 'm' };
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' }).end('{}');
      return undefined;
    };
    const startMs = Date.now();
    expect(await inState(await send(), 'delivered')).toMatchObject({ attempts: 1 });
    expect(Date.now() - startMs).toBeGreaterThanOrEqual(2_000);
  });

  it('waits while the adapter is not ready, says so once, and goes on when it is', async () => {
    await install();
    adapter.health.status = 'draining';
    await until('it is not ready', async () => {
      const { rows } = await world.pool.query('SELECT state FROM gateway.adapter WHERE slug = $1', [adapter.slug]);
      return rows[0].state === 'unready';
    });
    const id = await until('the pause has reached everyone', async () => {
      const sent = await send();
      const row = await until('it was looked at', async () => {
        const now = await delivery(sent);
        return now.state === 'delivered' || now.error ? now : null;
      });
      return row.error ? sent : null;
    });
    expect(await delivery(id)).toMatchObject({ state: 'queued', error: 'adapter_unready' });
    expect((await delivery(id)).error_detail).toContain('status is "draining"');
    const before = deliverCalls().length;
    const { rows } = await world.pool.query('SELECT failed_polls FROM gateway.adapter WHERE slug = $1', [adapter.slug]);
    await until('it was polled twice more', async () => {
      const now = await world.pool.query('SELECT failed_polls AS n FROM gateway.adapter WHERE slug = $1', [
        adapter.slug,
      ]);
      return now.rows[0].n >= rows[0].failed_polls + 2;
    });
    expect(deliverCalls()).toHaveLength(before);
    adapter.health.status = 'ready';
    expect(await inState(id, 'delivered')).toMatchObject({ attempts: 1, error: null });
    await until('the journal has it', async () => (await journalOf(id)).length === 2);
    expect(await journalOf(id)).toEqual(['retrying adapter_unready', 'delivered']);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    [
      '50 MB',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(50_000_000)),
    ],
    ['nothing, for ever', () => undefined],
    [
      'an ok that is a text',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":"yes"}'),
    ],
  ])('answered by %s is unknown, not sent again', async (what, answer) => {
    await install();
    adapter.routes['deliver'] = (_body, response) => void answer(response);
    const id = await send();
    expect(await inState(id, 'unknown')).toMatchObject({ error: 'answer_lost', attempts: 1 });
    expect(deliverCalls()).toHaveLength(1);
    if (what.startsWith('nothing')) return;
    const { violation } = await until('the adapter shows it', async () => {
      const { data } = (await world.call('GET', 'adapters')).body;
      const row = data.find(({ slug }) => slug === adapter.slug);
      return row?.violation ? row : null;
    });
    expect(violation).toMatch(/^\/deliver/);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'by hand' });
    await world.call('POST', `deliveries/${id}/redrive`);
    await inState(id, 'delivered');
  });

  it('of a provider that did not answer, and cannot be asked, is for a person to settle', async () => {
    await install();
    adapter.routes['deliver'] = () => ({
      ok: false,
      error: 'timeout',
      error_detail: { message: 'slow', retryable: false },
    });
    const [lost, arrived] = [await send(), await send()];
    const row = await inState(lost, 'unknown');
    expect([row.error, row.error_detail]).toEqual([
      'answer_lost',
      expect.stringMatching(/no look-up.*mark it as delivered/),
    ]);
    await inState(arrived, 'unknown');
    const stranger = { projectId: 'prj_other' };
    expect((await world.call('POST', `deliveries/${arrived}/mark-delivered`, undefined, stranger)).status).toBe(404);
    const reader = { scopes: ['deliveries:read' as const] };
    expect((await world.call('POST', `deliveries/${arrived}/mark-delivered`, undefined, reader)).status).toBe(403);
    const marked = await world.call('POST', `deliveries/${arrived}/mark-delivered`);
    expect(marked.body).toMatchObject({ state: 'delivered', error: null, settled_at: expect.any(String) });
    await until(
      'the timeline says who said so',
      async () => (await journalOf(arrived)).at(-1) === 'delivered marked_by_person',
    );
    for (const way of ['mark-delivered', 'redrive']) {
      expect((await world.call('POST', `deliveries/${arrived}/${way}`)).status).toBe(409);
    }
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'second' });
    await world.call('POST', `deliveries/${lost}/redrive`);
    expect(await inState(lost, 'delivered')).toMatchObject({ provider_message_id: 'second', error: null });
    for (const id of [arrived, lost])
      expect((await journalOf(id)).map((told) => told.split(' ')[0])).toEqual(['unknown', 'delivered']);
    expect(deliverCalls()).toHaveLength(3);
  });

  it('that died and is attempted again takes its dead letter along', async () => {
    await install();
    const detail = { message: 'no such room', retryable: false };
    adapter.routes['deliver'] = () => ({ ok: false, error: 'channel_not_found', error_detail: detail });
    const id = await send();
    await inState(id, 'dead');
    const letter = (state: string) =>
      until(`the letter is ${state}`, async () => {
        const { rows } = await world.pool.query('SELECT state FROM journal.dead_letter WHERE subject_id = $1', [id]);
        return rows[0]?.state === state;
      });
    await letter('open');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm2' });
    await world.call('POST', `deliveries/${id}/redrive`);
    await letter('redriving');
    await inState(id, 'delivered');
  });

  it('whose answer was lost is settled by a look-up', async () => {
    adapter.manifest.message = { lookup: true };
    await install();
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    adapter.routes['deliver/lookup'] = ({ idempotency_key: key, thread_id: thread }) => ({
      found: true,
      message_id: `found ${key} in ${thread}`,
    });
    const id = await send('room-1', 'hello', 'thread-1');
    expect(await inState(id, 'delivered')).toMatchObject({ provider_message_id: `found ${id} in thread-1` });
  });

  it('whose answer was lost is not sent again before the adapter can tell', async () => {
    adapter.manifest.message = { lookup: true };
    await install();
    let asked = 0;
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    adapter.routes['deliver/lookup'] = (_body, response) => {
      asked += 1;
      return asked < 3 ? void response.writeHead(429).end() : { found: true, message_id: 'there' };
    };
    expect(await inState(await send(), 'delivered')).toMatchObject({ provider_message_id: 'there' });
    expect(deliverCalls()).toHaveLength(1);
  });

  it('is one of no more than the address takes, in all replicas together', async () => {
    adapter.manifest.message = { rate_per_address: { count: 2, seconds: 1 } };
    await install();
    const arrivals: [string, number][] = [];
    adapter.routes['deliver'] = ({ channel_address: address }) => {
      arrivals.push([address, Date.now()]);
      return { ok: true, message_id: 'm' };
    };
    const slow = await Promise.all(Array.from({ length: 6 }, () => send('busy')));
    const quick = await send('quiet');
    await inState(quick, 'delivered');
    for (const id of slow) await inState(id, 'delivered');
    const times = arrivals.filter(([address]) => address === 'busy').map(([, at]) => at);
    expect(times).toHaveLength(6);
    // One each half second; 100 ms for the way.
    for (let n = 2; n < times.length; n += 1) expect(times[n]! - times[n - 2]!).toBeGreaterThanOrEqual(900);
    expect((await delivery(slow[5]!)).attempts).toBe(1);
  });

  it('holds to the limit that its project has for an address, and says so', async () => {
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
    const first = await send('limited');
    await inState(first, 'delivered');
    const second = await send('limited');
    await until('it waits for its turn', async () => (await delivery(second)).error === 'address_rate');
    expect(await delivery(second)).toMatchObject({ state: 'queued', attempts: 0 });
    expect((await delivery(second)).error_detail).toMatch(
      /1 messages in 60 s.*deliveries_per_address_per_minute of the project/,
    );
    await limit(null);
  });
});
