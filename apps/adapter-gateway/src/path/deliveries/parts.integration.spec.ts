import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { LeaseLost } from '#libs/work';
import { deliveryOf, Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { Deliverer } from './deliver.js';
import { DeliveryRepository } from './delivery.repository.js';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, line) => `line ${line + 1} ${'x'.repeat(40)}`).join('\n');

describe('a message that is too long for its channel', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let app: string;
  let deliveries: Deliveries;

  beforeAll(async () => {
    world = await startGateway();
    deliveries = new Deliveries(world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
    // The minimum of the contract: no parts, and no splitting in `/deliver`.
    adapter.routes['format'] = ({ text }) => ({ text, format: 'plain' });
    adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `m ${key}` });
  });
  afterEach(() => adapter.close());

  const install = async (message: object) => {
    adapter.manifest['message'] = message;
    app = (await world.install(adapter)).id;
  };
  const send = (text: string) => deliveries.send(app, { text, thread: 't' });
  const sent = () => adapter.bodiesOf('deliver');
  const texts = (): string[] => sent().map(({ message }) => message.text);
  const entries = async (id: string, reason: string | null) => {
    const sql = `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE subject_id = $1 AND reason IS NOT DISTINCT FROM $2`;
    return (await world.pool.query(sql, [id, reason])).rows;
  };
  const keptParts = async (id: string): Promise<number> =>
    (await world.pool.query('SELECT 1 FROM gateway.delivery_part WHERE delivery_id = $1', [id])).rows.length;

  it('is sent in parts, in order, each under a key of its own', async () => {
    await install({ max_length: 120 });
    const id = await send(lines(6));
    const row = await deliveries.inState(id, 'delivered');
    expect(row).toMatchObject({ parts: 3, from_part: 3, cut_chars: 0, provider_message_id: `m ${id}/1`, attempts: 1 });
    expect(texts().join('\n')).toBe(lines(6));
    for (const text of texts()) expect(text.length).toBeLessThanOrEqual(120);
    expect(sent().map(({ idempotency_key: key, message }) => [key, message.thread_id])).toEqual(
      [1, 2, 3].map((part) => [`${id}/${part}`, 't']),
    );
    expect(await keptParts(id)).toBe(0);
  });

  it('is sent in parts whatever /format calls its text, unless the caller gave it in the native format', async () => {
    await install({ max_length: 120 });
    adapter.routes['format'] = ({ text }) => ({ text: text.replaceAll('line', '*line*'), format: 'native' });
    const id = await send(lines(4));
    await deliveries.inState(id, 'delivered');
    expect(texts().join('\n')).toBe(lines(4).replaceAll('line', '*line*'));
    for (const text of texts()) expect(text.length).toBeLessThanOrEqual(120);
    const given = await deliveries.send(app, { text: lines(4), format: 'native' });
    expect(await deliveries.inState(given, 'delivered')).toMatchObject({ parts: null });
    expect(texts().at(-1)).toBe(lines(4));
  });

  it('is sent whole where it fits, or where the adapter splits by itself', async () => {
    await install({ max_length: 120 });
    const short = await send('short');
    expect(await deliveries.inState(short, 'delivered')).toMatchObject({ parts: null });
    adapter.routes['format'] = ({ text }) => ({ text, format: 'plain', parts: [text.slice(0, 120), text.slice(120)] });
    const split = await send(lines(4));
    expect(await deliveries.inState(split, 'delivered')).toMatchObject({ parts: null, cut_chars: 0 });
    expect(sent().map(({ idempotency_key: key, message }) => [key, message.text])).toEqual([
      [short, 'short'],
      [split, lines(4)],
    ]);
  });

  it('stops at the part that fails, and resumes there with the same parts', async () => {
    await install({ max_length: 120 });
    let failures = 0;
    adapter.routes['deliver'] = ({ message }) => {
      if (!message.text.includes('line 3') || failures++ > 0) return { ok: true, message_id: 'm' };
      // Meanwhile the adapter renders differently.
      adapter.routes['format'] = ({ text }) => ({ text: `> ${text}`, format: 'plain' });
      const detail = { message: 'try later', retryable: true, retry_after: 0.05 };
      return { ok: false, error: 'rate_limited', error_detail: detail };
    };
    const id = await send(lines(6));
    await deliveries.inState(id, 'delivered');
    const first = lines(6).split('\n');
    expect(texts()).toEqual([0, 2, 2, 4].map((from) => first.slice(from, from + 2).join('\n')));
    expect((await entries(id, 'rate_limited'))[0]).toMatchObject({
      outcome: 'retrying',
      detail: { error: 'part 2 of 3: try later', parts: 3 },
    });
  });

  it('is sent no further once another claim has it', async () => {
    await install({ max_length: 120, idempotent: true });
    const [delivery] = await world.app
      .get(DeliveryRepository, { strict: false })
      .claim([deliveryOf(app, { text: lines(6) })]);
    const lease = new AbortController();
    adapter.routes['deliver'] = () => {
      lease.abort(new LeaseLost('a test'));
      return { ok: true, message_id: 'one' };
    };
    const attempt = world.app.get(Deliverer, { strict: false }).made(delivery!, lease.signal);
    expect(await attempt).toEqual({ error: expect.any(LeaseLost) });
    expect(texts()).toEqual([lines(6).split('\n').slice(0, 2).join('\n')]);
  });

  it('becomes a dead letter with what has arrived when a part can never arrive; a redrive sends the rest', async () => {
    await install({ max_length: 120 });
    adapter.routes['deliver'] = ({ message }) =>
      message.text.includes('line 3') ? { ok: false, error: 'permission_denied' } : { ok: true, message_id: 'm' };
    const id = await send(lines(6));
    expect(await deliveries.inState(id, 'dead')).toMatchObject({ from_part: 1, parts: 3, error: 'permission_denied' });
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    await world.call('POST', `deliveries/${id}/redrive`);
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ from_part: 3, error: null });
    expect(sent().map(({ idempotency_key: key }) => key)).toEqual([1, 2, 2, 3].map((part) => `${id}/${part}`));
  });

  it('is unknown from the part whose answer was lost; once marked, the parts after it are sent', async () => {
    await install({ max_length: 120 });
    adapter.routes['deliver'] = ({ message }, response) =>
      message.text.includes('line 3') ? void response.destroy() : { ok: true, message_id: 'm' };
    const id = await send(lines(6));
    const row = await deliveries.inState(id, 'unknown');
    expect([row.from_part, row.error_detail]).toEqual([1, expect.stringMatching(/^part 2 of 3: .*mark it/)]);
    expect((await world.call('POST', `deliveries/${id}/mark-delivered`)).body.state).not.toBe('unknown');
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ from_part: 3, provider_message_id: 'm' });
    expect(texts().at(-1)).toContain('line 5');
    expect(sent()).toHaveLength(3);
  });

  it('looks up the part that a dead process may have sent, and sends only the rest', async () => {
    await install({ max_length: 120, lookup: true });
    const asked: string[] = [];
    adapter.routes['deliver/lookup'] = ({ idempotency_key: key }) => {
      asked.push(key);
      return { found: true, message_id: 'there' };
    };
    const id = newId('dlv');
    // The provider has part 2, but that is not recorded: the process died after it had marked the row for the call.
    const { content } = deliveryOf(app, { text: lines(6) });
    await world.pool.query(
      `INSERT INTO gateway.delivery (id, organization_id, project_id, app_id, receipt_id, content, state, tries, from_part, parts,
         provider_message_id, lease_until, created_at, reason)
       VALUES ($1, $2, $3, $4, $5, $6, 'sending', 2, 1, 3, 'one', now() - interval '1 minute', now(), 'answer_lost')`,
      [id, home.organizationId, home.projectId, app, newId('evt'), JSON.stringify(content)],
    );
    await world.pool.query(
      `INSERT INTO gateway.delivery_part SELECT $1, seq, 'part ' || seq, 'plain' FROM generate_series(1, 3) AS seq`,
      [id],
    );
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ from_part: 3, provider_message_id: 'one' });
    expect(asked).toEqual([`${id}/2`]);
    expect(texts()).toEqual(['part 3']);
  });

  it.each<[string, (text: string) => object]>([
    ['the gateway splits', (text) => ({ text, format: 'plain' })],
    ['its adapter splits', (text) => ({ text, format: 'plain', parts: text.match(/[^]{1,120}/g) ?? [] })],
  ])('is cut at DELIVERY_MAX_PARTS where %s, and says so everywhere', async (_who, format) => {
    await install({ max_length: 120 });
    adapter.routes['format'] = ({ text }) => format(text);
    const id = await send(lines(20));
    const row = await deliveries.inState(id, 'delivered');
    expect(row.cut_chars).toBeGreaterThan(400);
    const all = texts().join('\n');
    expect(all.length).toBeLessThanOrEqual(4 * 121);
    expect(all).toMatch(new RegExp(`\\[cut: ${row.cut_chars} characters are missing\\]$`));
    const [entry] = await until('the timeline says so', async () => {
      const found = await entries(id, 'reply_cut');
      return found.length > 0 && found;
    });
    expect(entry.detail).toEqual({ cut_chars: row.cut_chars, text: expect.stringContaining('DELIVERY_MAX_PARTS (4)') });
  });

  it('loses only its control characters when a person or a service wrote it', async () => {
    await install({ max_length: 120 });
    const call = {
      app_id: app,
      channel_address: 'room',
      message: { text: 'a\u202Eb\u0007 ![x](https://x.example/) <think>', format: 'plain' },
      idempotency_key: newId('evt'),
    };
    const { body } = await world.internal('POST', 'adapter-calls/deliver', call);
    expect(body).toMatchObject({ state: 'delivered' });
    expect(texts()).toEqual(['ab ![x](https://x.example/) <think>']);
    await until(
      'the timeline says so',
      async () => (await entries(body.delivery_id ?? '', 'reply_cleaned')).length === 1,
    );
    expect((await world.internal('POST', 'adapter-calls/deliver', call)).body.delivery_id).toBe(body.delivery_id);
  });
});
