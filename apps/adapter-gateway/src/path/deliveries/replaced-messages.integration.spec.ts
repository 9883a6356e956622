import { deliverySend, type DeliverySendPayload, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { Deliveries, deliveryOf } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

describe('a message that takes the place of another one', () => {
  let world: GatewayWorld;
  let deliveries: Deliveries;
  let adapter: FakeAdapter;
  let app: string;

  beforeAll(async () => {
    world = await startGateway({ DELIVERY_RETRY_PAUSE_MAX_MS: 200 });
    deliveries = new Deliveries(world);
  });
  afterAll(() => world.close());
  const installed = async (features: string[]): Promise<void> => {
    adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
    adapter.manifest.features = features;
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    app = (await world.install(adapter)).id;
  };
  beforeEach(() => installed(['edit']));
  afterEach(() => adapter.close());

  const job = (text: string, replaces?: string): DeliverySendPayload => {
    const made = deliveryOf(app, { text });
    return { ...made, turn_id: newId('trn'), content: { ...made.content!, ...(replaces ? { replaces } : {}) } };
  };
  const answered = async (text: string, replaces: string) => {
    const delivery = job(text, replaces);
    await world.jobs.enqueue(deliverySend, delivery);
    return deliveries.inState(delivery.delivery_id, 'delivered');
  };
  /** @returns its key */
  const announced = async (text: string, key = newId('msg')): Promise<string> => {
    const message = { app_id: app, channel_address: 'room', message: { text }, idempotency_key: key };
    const { delivery_id: id } = (await world.internal('POST', 'adapter-calls/deliver', message)).body;
    ids.set(key, id ?? '');
    return key;
  };
  const ids = new Map<string, string>();
  const messageIdOf = async (id: string) =>
    (await world.pool.query('SELECT provider_message_id FROM gateway.delivery WHERE id = $1', [id])).rows[0]
      ?.provider_message_id;
  const texts = () =>
    adapter.bodiesOf('deliver').map(({ message }) => [message.text, message.edit_of].filter(Boolean).join(' → '));

  it('is an edit of it once it has arrived', async () => {
    const first = await announced('Looking…');
    const answer = await answered('It is 42.', first);
    expect(texts()).toEqual(['Looking…', 'It is 42. → m1']);
    expect(await messageIdOf(answer.id)).toBe('m1');
  });

  it('is a message of its own where the channel cannot edit, or knows none like it', async () => {
    await installed([]);
    const first = await announced('Looking…');
    await answered('It is 42.', first);
    await answered('It is 43.', newId('msg'));
    expect(texts()).toEqual(['Looking…', 'It is 42.', 'It is 43.']);
  });

  it('is a message of its own where the provider refuses the edit, and the timeline says so', async () => {
    const first = await announced('Looking…');
    adapter.routes['deliver'] = ({ message }) =>
      message.edit_of ? { ok: false, error: 'not_found' } : { ok: true, message_id: 'm2' };
    const answer = await answered('It is 42.', first);
    expect(texts()).toEqual(['Looking…', 'It is 42. → m1', 'It is 42.']);
    expect(await messageIdOf(answer.id)).toBe('m2');
    const { rows } = await world.pool.query(`SELECT detail FROM ${everyEntry} e WHERE subject_id = $1`, [answer.id]);
    expect(rows.at(-1)?.detail).toMatchObject({ left_out: ['edit'] });
  });

  it('is tried again as an edit where the provider is away', async () => {
    const first = await announced('Looking…');
    let away = true;
    adapter.routes['deliver'] = () => {
      if (!away) return { ok: true, message_id: 'm1' };
      away = false;
      return { ok: false, error: 'provider_unavailable' };
    };
    await answered('It is 42.', first);
    expect(texts()).toEqual(['Looking…', 'It is 42. → m1', 'It is 42. → m1']);
  });

  it('comes alone where the other one could not be sent by then: that one never follows it', async () => {
    adapter.routes['deliver'] = () => ({ ok: false, error: 'provider_unavailable' });
    const first = await announced('Looking…');
    adapter.routes['deliver'] = ({ message }) =>
      message.text === 'Looking…' ? { ok: false, error: 'provider_unavailable' } : { ok: true, message_id: 'm2' };
    await answered('It is 42.', first);
    const row = await deliveries.inState(ids.get(first) ?? '', 'expired');
    expect(row.error_detail).toContain('The message that takes its place was there before it.');
    const after = texts().slice(texts().indexOf('It is 42.'));
    expect(after).toEqual(['It is 42.']);
  });

  it('comes alone where neither of two before it could be sent by then, and edits the one that could', async () => {
    let away = true;
    adapter.routes['deliver'] = ({ message }) =>
      away && message.text !== 'It is 42.'
        ? { ok: false, error: 'provider_unavailable' }
        : { ok: true, message_id: 'm1' };
    const [first, second] = [await announced('Looking…'), await announced('Reading…')];
    const answer = job('It is 42.', second);
    await world.jobs.enqueue(deliverySend, { ...answer, content: { ...answer.content!, replaces_earlier: [first] } });
    await deliveries.inState(answer.delivery_id, 'delivered');
    away = false;
    for (const key of [first, second]) await deliveries.inState(ids.get(key) ?? '', 'expired');
    expect(texts().slice(texts().indexOf('It is 42.'))).toEqual(['It is 42.']);
    const arrived = await announced('Looking anew…');
    const next = job('It is 43.', newId('msg'));
    await world.jobs.enqueue(deliverySend, { ...next, content: { ...next.content!, replaces_earlier: [arrived] } });
    await deliveries.inState(next.delivery_id, 'delivered');
    expect(texts().at(-1)).toBe('It is 43. → m1');
  });

  it('waits for one that is being sent, so that it arrives after it', async () => {
    let release: (() => void) | undefined;
    adapter.routes['deliver'] = async ({ message }) => {
      if (message.text === 'Looking…') await new Promise<void>((resolve) => (release = resolve));
      return { ok: true, message_id: 'm1' };
    };
    const announcing = announced('Looking…', 'first');
    await until('it is being sent', () => release !== undefined);
    const answer = job('It is 42.', 'first');
    await world.jobs.enqueue(deliverySend, answer);
    const waiting = await deliveries.inState(answer.delivery_id, 'queued');
    expect(waiting).toMatchObject({ error: 'replaced_in_flight' });
    release?.();
    await announcing;
    await deliveries.inState(answer.delivery_id, 'delivered');
    expect(texts()).toEqual(['Looking…', 'It is 42. → m1']);
  });
});
