import { RoutingService } from '../routing/routing.service.js';
import { type Neighbour, neighbour } from '../testing/journaled-events.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { ReplyAnswer } from './session-replies.service.js';
import type { SessionDetail } from './sessions.service.js';

let world: RouterWorld;
let gateway: Neighbour;
let routing: RoutingService;

beforeAll(async () => {
  world = await routerWorld();
  gateway = await neighbour();
  routing = (await world.start({ GATEWAY_URL: gateway.url })).get(RoutingService, { strict: false });
});

afterAll(async () => {
  await world.close();
  await gateway.close();
});

/** A session that one message made. */
async function session(metadata: Record<string, unknown>): Promise<{ id: string; appId: string; receiptId: string }> {
  const appId = await world.channel({ unknown_senders: 'open' });
  const job = jobOf(appId, { thread_id: 't1', metadata });
  await routing.route(job, 1);
  const { id } = await world.row<{ id: string }>('SELECT id FROM router.session WHERE app_id = $1', [appId]);
  return { id, appId, receiptId: job.receipt_id };
}
const reply = (id: string, text: string, key?: string) =>
  world.api<ReplyAnswer & { code?: string }>(
    'POST',
    `/api/v1/sessions/${id}/reply`,
    { text },
    key ? { 'idempotency-key': key } : {},
  );
const takeOver = (id: string) => world.api('POST', `/api/v1/sessions/${id}/takeover`, {});

describe("a person's reply", () => {
  it('goes where an agent would have answered, once under a key, and is marked in the session', async () => {
    const { id, appId, receiptId } = await session({ channel_address: 'room' });
    await takeOver(id);
    gateway.answers(200, { delivery_id: 'dlv_1', state: 'delivered', error: null });
    const first = await reply(id, 'hello', 'k1');
    expect(first).toMatchObject({ status: 202, body: { delivery_id: 'dlv_1', state: 'delivered' } });
    expect(await reply(id, 'hello', 'k1')).toMatchObject({ status: 202 });
    await reply(id, 'hello', 'k2');
    const [one, again, other] = gateway.bodies;
    expect(gateway.asked[0]).toBe('/internal/adapter-calls/deliver');
    expect(one).toMatchObject({
      app_id: appId,
      channel_address: 'room',
      message: { text: 'hello', thread_id: 't1' },
      receipt_id: receiptId,
    });
    expect(again?.['idempotency_key']).toBe(one?.['idempotency_key']);
    expect(other?.['idempotency_key']).not.toBe(one?.['idempotency_key']);
    const { body } = await world.api<SessionDetail>('GET', `/api/v1/sessions/${id}`);
    expect(body.marks.map(({ kind, delivery_id }) => [kind, delivery_id])).toEqual([
      ['takeover', null],
      ['reply', 'dlv_1'],
    ]);
  });

  it('needs a key, a session that was taken over, and an address', async () => {
    const { id } = await session({ channel_address: 'room' });
    expect(await reply(id, 'x', 'k')).toMatchObject({ status: 409, body: { code: 'session_not_taken_over' } });
    await takeOver(id);
    expect(await reply(id, 'x')).toMatchObject({ status: 422, body: { code: 'idempotency_key_required' } });
    const nowhere = await session({});
    await takeOver(nowhere.id);
    expect(await reply(nowhere.id, 'x', 'k')).toMatchObject({ status: 409, body: { code: 'no_reply_address' } });
  });
});
