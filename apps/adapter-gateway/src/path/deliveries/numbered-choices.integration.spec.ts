import { newId, type NormalizedMessage } from '#libs/contracts';
import { until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { NumberedChoices } from './message-features.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;
let address: string;

beforeAll(async () => {
  adapter = await fakeAdapter('numbers');
  world = await startGateway({}, adapter);
  adapter.routes['format'] = ({ text }) => ({ text, format: 'plain' });
  app = (await world.install(adapter)).id;
});
beforeEach(() => {
  address = newId('con');
  adapter.calls.splice(0);
  adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `m ${key}` });
});
afterAll(() => world.close());

const choices = [
  { id: 'approve', label: 'Approve', value: 'one' },
  { id: 'refuse', label: 'Refuse', value: 'two' },
];

/** Sends a message with choices. @returns its id, and the lines that number them */
async function offer(more: object = {}, actions: object[] = choices) {
  const { body } = await world.internal('POST', 'adapter-calls/deliver', {
    app_id: app,
    channel_address: address,
    message: { text: 'Order?', actions, ...more },
    idempotency_key: newId('req'),
  });
  const sent = adapter.bodiesOf('deliver').find(({ idempotency_key: key }) => key === body.delivery_id)?.message
    .text as string;
  return { id: String(body.delivery_id), lines: sent.split('\n').slice(4), state: body.state };
}

/** The message that the router gets. */
async function says(message: string, over: Partial<NormalizedMessage> = {}, receipt = newId('evt')) {
  const metadata = { channel_address: address };
  adapter.routes['parse-inbound'] = () => ({
    event_type: 'message_received',
    sender: 'ada',
    message,
    is_bot: false,
    dedup_key: `k ${receipt}`,
    metadata,
    ...over,
  });
  return (await world.routed(await world.receive(app, { id: receipt }))).messages?.[0];
}

const press = (id: string, value: string) => ({
  event_type: 'action',
  message: value,
  metadata: { action: { id, value } },
});

describe('choices on a channel without buttons', () => {
  it.each([
    ['the number', '2', press('refuse', 'two')],
    ['the number with a dot', ' 1. ', press('approve', 'one')],
    ['the words', 'REFUSE', press('refuse', 'two')],
  ])('are answered by %s', async (_by, text, action) => {
    const { id, lines } = await offer();
    expect(lines).toEqual(['1. Approve', '2. Refuse']);
    const heard = await says(text);
    expect(heard).toMatchObject(action);
    expect(heard?.metadata).toMatchObject({ answer: text.trim(), action: { message_id: `m ${id}` } });
  });

  it.each([['3'], ['yes'], ['1 and 2'], ['-1'], ['1'.repeat(70)]])('are not answered by %s', async (text) => {
    await offer();
    expect(await says(text)).toMatchObject({ event_type: 'message_received', message: text });
  });

  it('are answered once, and a repeated receipt gets the same answer', async () => {
    await offer();
    const receipt = newId('evt');
    expect(await says('1', {}, receipt)).toMatchObject(press('approve', 'one'));
    // As when the job that had parsed it was lost.
    const message = { event_type: 'message_received', sender: 'ada', message: '1', is_bot: false };
    const inConversation = { ...message, metadata: { channel_address: address } };
    const repeated = await world.app
      .get(NumberedChoices, { strict: false })
      .answered(app, receipt, {}, [inConversation]);
    expect(repeated).toMatchObject([press('approve', 'one')]);
    expect(await says('1')).toMatchObject({ event_type: 'message_received' });
    expect(await says('2')).toMatchObject({ event_type: 'message_received' });
  });

  it('have numbers of their own while others wait, and begin with 1 when none does', async () => {
    await offer();
    const [second, third] = await Promise.all([
      offer({}, [{ id: 'a', label: 'Ship', value: 'x' }]),
      offer({}, [{ id: 'b', label: 'Keep', value: 'y' }]),
    ]);
    const numbers = [second, third].map(({ lines }) => lines[0]?.slice(0, 2));
    expect([...numbers].sort()).toEqual(['3.', '4.']);
    const [number = ''] = numbers;
    expect(await says(number)).toMatchObject({ event_type: 'action' });
    expect(await says('1')).toMatchObject(press('approve', 'one'));
    const left = number === '3.' ? '4' : '3';
    expect(await says(left)).toMatchObject({ event_type: 'action' });
    expect((await offer()).lines).toEqual(['1. Approve', '2. Refuse']);
  });

  it('keep their numbers at every attempt', async () => {
    adapter.routes['deliver'] = () => ({ ok: false, error: 'provider_unavailable' });
    const first = await offer();
    expect(first.state).toBe('queued');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    await world.call('POST', `deliveries/${first.id}/redrive`, {});
    await until('it was sent again', async () => adapter.bodiesOf('deliver').length > 1);
    const texts = adapter.bodiesOf('deliver').map(({ message }) => message.text);
    expect(new Set(texts).size).toBe(1);
    expect(await says('2')).toMatchObject(press('refuse', 'two'));
  });

  it('that are for one person are not answered by another one, who does not use them up either', async () => {
    await offer({ actions_for: 'ada' });
    expect(await says('1', { sender: 'eve' })).toMatchObject({ event_type: 'message_received' });
    expect(await says('approve', { sender: 'eve' })).toMatchObject({ event_type: 'message_received' });
    expect(await says('1')).toMatchObject(press('approve', 'one'));
  });

  it('are not answered in another conversation, by a bot, or after CHOICE_WAIT_MS', async () => {
    await offer();
    expect(await says('1', { metadata: { channel_address: 'elsewhere' } })).toMatchObject({ message: '1' });
    expect(await says('1', { is_bot: true })).toMatchObject({ message: '1' });
    await world.pool.query(`UPDATE gateway.offered_choice SET offered_at = now() - interval '2 hours'`);
    expect(await says('1')).toMatchObject({ event_type: 'message_received' });
    expect((await offer()).lines).toEqual(['1. Approve', '2. Refuse']);
  });

  it('whose words mean two things are answered by number alone', async () => {
    await offer();
    await offer();
    expect(await says('Approve')).toMatchObject({ event_type: 'message_received' });
    expect(await says('3')).toMatchObject(press('approve', 'one'));
  });
});
