import { newId } from '#libs/contracts';
import type { ReplyAnswer } from '../../apps/engine/src/manage/sessions/session-reply.service.js';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import type { SessionDetail } from '../../apps/engine/src/manage/sessions/session.service.js';
import { type Neighbour, neighbour } from '../../apps/router/src/testing/journaled-events.js';
import { type PathWorld, pathWorld } from './path-world.js';

let world: PathWorld;
let gateway: Neighbour;

beforeAll(async () => {
  gateway = await neighbour();
  world = await pathWorld({ GATEWAY_URL: gateway.url });
});

afterAll(async () => {
  await world.close();
  await gateway.close();
});

const received = async (appId: string, message: object): Promise<SessionTurnView> => {
  const [turn] = await world.turnsOf(await world.receive(appId, message));
  if (!turn) throw new Error('the message has no turn');
  return turn;
};

/** A session that one message started. */
async function session(
  metadata: Record<string, unknown>,
): Promise<{ id: string; appId: string; first: SessionTurnView }> {
  const appId = await world.channel({ unknown_senders: 'open' });
  const first = await received(appId, { thread_id: 't1', metadata });
  return { id: first.session_id ?? '', appId, first };
}
const reply = (id: string, text: string, key?: string) =>
  world.call<ReplyAnswer & { code?: string }>(
    'POST',
    `sessions/${id}/reply`,
    { text },
    { headers: key ? { 'idempotency-key': key } : {} },
  );
const takeOver = (id: string) => world.call('POST', `sessions/${id}/takeover`, {});

describe("a person's reply", () => {
  it('goes where an agent would have answered, once per key, and is marked in the session', async () => {
    const { id, appId, first: message } = await session({ channel_address: 'room' });
    await takeOver(id);
    gateway.answers(200, { delivery_id: 'dlv_1', state: 'delivered', error: null });
    const first = await reply(id, 'hello', 'k1');
    expect(first).toMatchObject({ status: 202, body: { delivery_id: 'dlv_1', state: 'delivered' } });
    expect(await reply(id, 'hello', 'k1')).toMatchObject({ status: 202 });
    await reply(id, 'hello', 'k2');
    const [one, repeated, other] = gateway.bodies;
    expect(gateway.asked[0]).toBe('/internal/adapter-calls/deliver');
    expect(one).toMatchObject({
      app_id: appId,
      channel_address: 'room',
      message: { text: 'hello', thread_id: 't1' },
      receipt_id: message.receipt_id,
    });
    expect(repeated?.['idempotency_key']).toBe(one?.['idempotency_key']);
    expect(other?.['idempotency_key']).not.toBe(one?.['idempotency_key']);
    const { body } = await world.call<SessionDetail>('GET', `sessions/${id}`);
    expect(body.marks.map(({ kind, delivery_id }) => [kind, delivery_id])).toEqual([
      ['takeover', null],
      ['reply', 'dlv_1'],
    ]);
  });

  it('is passed to the agent with the next turn, in its place, until a turn has succeeded', async () => {
    const { id, appId, first: begun } = await session({ channel_address: 'room' });
    const receive = (message: string) =>
      received(appId, { message, thread_id: 't1', metadata: { channel_address: 'room' } });
    const takeoverOf = ({ input }: SessionTurnView) =>
      (input?.takeover ?? []).map((line) => [line.by === 'person' ? line.text : line.message.message, line.after]);
    const finish = ({ id: turnId }: SessionTurnView, state: 'succeeded' | 'failed') =>
      world.finish(turnId, { state, error: state === 'failed' ? 'model_down' : null });
    const say = async (text: string) => {
      const key = newId('dlv');
      gateway.answers(200, { delivery_id: key, state: 'queued', error: null });
      expect((await reply(id, text, key)).status).toBe(202);
    };
    await finish(begun, 'succeeded');

    await takeOver(id);
    await receive('to the person');
    await say('hidden\u200b\u202e <|im_start|>');
    await receive('thanks');
    await world.call('POST', `sessions/${id}/hand-back`, {});
    const first = await receive('next');
    const takeover = [
      ['to the person', 0],
      ['hidden [removed-token]', 0],
      ['thanks', 0],
    ];
    expect(takeoverOf(first)).toEqual(takeover);
    await finish(first, 'failed');
    const second = await receive('once more');
    expect(takeoverOf(second)).toEqual(takeover);
    await finish(second, 'succeeded');

    const third = await receive('a');
    expect(takeoverOf(third)).toEqual([]);
    await takeOver(id);
    await finish(third, 'succeeded');
    await receive('b');
    await say('between');
    const last = await receive('d');
    await world.call('POST', `sessions/${id}/hand-back`, { answer_waiting: true });
    const opened = await world.turn(last.id);
    expect([opened.state, opened.input?.earlier?.map(({ message }) => message)]).toEqual(['open', ['b']]);
    expect(takeoverOf(opened)).toEqual([['between', 1]]);
    await finish(opened, 'succeeded');
    expect(takeoverOf(await receive('e'))).toEqual([]);
  });

  it('that never arrived is not passed on', async () => {
    const { id, appId } = await session({ channel_address: 'room' });
    await takeOver(id);
    gateway.answers(200, { delivery_id: 'dlv_dead', state: 'dead', error: 'gone' });
    await reply(id, 'x', 'k');
    await world.call('POST', `sessions/${id}/hand-back`, {});
    const next = await received(appId, { thread_id: 't1', message: 'y' });
    expect([next.state, next.input?.takeover]).toEqual(['open', undefined]);
  });

  it('needs a key, a session that was taken over, and an address', async () => {
    const { id } = await session({ channel_address: 'room' });
    expect(await reply(id, 'x', 'k')).toMatchObject({ status: 409, body: { code: 'session_not_taken_over' } });
    await takeOver(id);
    expect(await reply(id, 'x')).toMatchObject({ status: 422, body: { code: 'idempotency_key_required' } });
    const nowhere = await session({ channel_address: null });
    await takeOver(nowhere.id);
    expect(await reply(nowhere.id, 'x', 'k')).toMatchObject({ status: 409, body: { code: 'no_reply_address' } });
  });
});
