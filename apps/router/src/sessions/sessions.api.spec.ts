import { newId } from '#libs/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { MessageRow } from '../routing/message.entity.js';
import { RoutingService } from '../routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { TurnsService } from '../turns/turns.service.js';
import type { SessionDetail } from './sessions.service.js';

const minute = 60_000;

describe('sessions', () => {
  let world: RouterWorld;
  let router: NestFastifyApplication;

  beforeAll(async () => {
    world = await routerWorld();
    router = await world.start();
  });
  afterEach(() => world.setTime(null));
  afterAll(() => world.close());

  const open = { unknown_senders: 'open' } as const;
  const receive = async (
    appId: string,
    message: string,
    over: object = {},
    app_kind: 'adapter' | 'builtin' = 'adapter',
  ) => {
    const job = jobOf(appId, { message, ...over }, { app_kind });
    await router.get(RoutingService, { strict: false }).route(job, 1);
    const row = await world.row<MessageRow>('SELECT * FROM router.message WHERE receipt_id = $1', [job.receipt_id]);
    return world.row<TurnRow>('SELECT * FROM router.turn WHERE message_id = $1', [row.id]);
  };
  const turn = (id: string) => world.row<TurnRow>('SELECT * FROM router.turn WHERE id = $1', [id]);
  const finish = (id: string, state: 'succeeded' | 'failed' = 'succeeded', error: string | null = null) =>
    router.get(TurnsService, { strict: false }).finish([{ turn_id: id, state, error }]);
  const post = (id: string | null, verb: string, body: object = {}) =>
    world.api<SessionDetail>('POST', `/api/v1/sessions/${id}/${verb}`, body);

  it('are shared by thread, by contact or by channel, as the channel says', async () => {
    const sameSession = async (
      scope: 'thread' | 'contact' | 'channel',
      one: object,
      other: object,
    ): Promise<boolean> => {
      const appId = await world.channel({ ...open, session_scope: scope });
      return (await receive(appId, 'a', one)).session_id === (await receive(appId, 'b', other)).session_id;
    };
    expect(await sameSession('thread', { thread_id: 't', sender: 'ada' }, { thread_id: 't', sender: 'bob' })).toBe(
      true,
    );
    expect(await sameSession('thread', { thread_id: 't' }, { thread_id: 'u' })).toBe(false);
    expect(await sameSession('thread', { sender: 'ada' }, { sender: 'bob' })).toBe(false);
    expect(await sameSession('contact', { thread_id: 't' }, { thread_id: 'u' })).toBe(true);
    expect(await sameSession('contact', { thread_id: 't' }, { thread_id: 't', sender: 'bob' })).toBe(false);
    const room = { metadata: { channel_address: 'room' } };
    expect(await sameSession('channel', { ...room, sender: 'ada' }, { ...room, sender: 'bob' })).toBe(true);
  });

  it('answer one by one what came meanwhile, where the channel queues', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const [first, second, third] = [await receive(appId, '1'), await receive(appId, '2'), await receive(appId, '3')];
    expect([first.state, second.state, third.state]).toEqual(['open', 'waiting', 'waiting']);
    await finish(first.id);
    expect([(await turn(second.id)).state, (await turn(third.id)).state]).toEqual(['open', 'waiting']);
    expect((await turn(second.id)).epoch).toBe(first.epoch + 1);
    await finish(first.id);
    expect((await turn(third.id)).state).toBe('waiting');
  });

  it('answer in one turn what came meanwhile, where the channel collects', async () => {
    const appId = await world.channel(open);
    const first = await receive(appId, '1');
    const [second, third] = [await receive(appId, '2'), await receive(appId, '3')];
    await finish(first.id);
    expect(await turn(second.id)).toMatchObject({ state: 'collected', collected_into: third.id });
    const now = await turn(third.id);
    expect(now).toMatchObject({ state: 'open', input: { message: { message: '3' } } });
    expect(now.input.earlier?.map(({ message }) => message)).toEqual(['2']);
  });

  it('never answer one sender with the rights of another', async () => {
    const appId = await world.channel({ ...open, session_scope: 'channel' });
    const first = await receive(appId, '1');
    const [bob, eve, bobAgain] = [
      await receive(appId, '2', { sender: 'bob' }),
      await receive(appId, '3', { sender: 'eve' }),
      await receive(appId, '4', { sender: 'bob' }),
    ];
    await finish(first.id);
    expect((await turn(bob.id)).state).toBe('open');
    await finish(bob.id);
    expect([(await turn(eve.id)).state, (await turn(bobAgain.id)).state]).toEqual(['open', 'waiting']);
    expect((await turn(eve.id)).input.earlier).toBeUndefined();
  });

  it('never answer together what is rehearsed and what is not', async () => {
    const appId = await world.channel(open);
    const first = await receive(appId, '1');
    expect((await world.api('POST', `/api/v1/events/${first.receipt_id}/replay`, {})).status).toBe(202);
    const live = await receive(appId, '2');
    await finish(first.id);
    const sql = "SELECT * FROM router.turn WHERE receipt_id = $1 AND input ->> 'rehearsal' = 'true'";
    const [rehearsal] = (await world.pool.query(sql, [first.receipt_id])).rows;
    expect(rehearsal).toMatchObject({ state: 'open', input: { reply: null } });
    expect((await turn(live.id)).state).toBe('waiting');
    await finish(rehearsal.id);
    expect((await turn(live.id)).input).not.toHaveProperty('rehearsal');
    expect((await turn(live.id)).input).not.toHaveProperty('earlier');
  });

  it('queue for the built-in Webhook app', async () => {
    const appId = newId('app');
    const [first, second, third] = [
      await receive(appId, '1', {}, 'builtin'),
      await receive(appId, '2', {}, 'builtin'),
      await receive(appId, '3', {}, 'builtin'),
    ];
    await finish(first.id);
    expect([(await turn(second.id)).state, (await turn(third.id)).state]).toEqual(['open', 'waiting']);
  });

  it('start anew after a silence, and at the daily hour', async () => {
    const start = Date.parse('2026-03-02T01:00:00Z');
    world.setTime(start);
    const idle = await world.channel({ ...open, idle_reset_minutes: 30 });
    const daily = await world.channel({ ...open, daily_reset_hour: 4 });
    const [a, b] = [await receive(idle, '1'), await receive(daily, '1')];
    await finish(a.id);
    world.setTime(start + 20 * minute);
    expect((await receive(idle, '2')).session_id).toBe(a.session_id);
    world.setTime(start + 60 * minute);
    // A turn is still under way there: it is not torn in two.
    expect((await receive(idle, '3')).session_id).toBe(a.session_id);
    world.setTime(start + 5 * 60 * minute);
    expect((await receive(daily, '2')).session_id).toBe(b.session_id);
    await finish(b.id);
    const opened = await world.row<TurnRow>(`SELECT * FROM router.turn WHERE app_id = $1 AND state = 'open'`, [daily]);
    await finish(opened.id);
    world.setTime(start + 28 * 60 * minute);
    const renewed = await receive(daily, '3');
    expect(renewed.session_id).not.toBe(b.session_id);
    const closed = await world.api<SessionDetail>('GET', `/api/v1/sessions/${b.session_id}`);
    expect(closed.body).toMatchObject({ status: 'closed', marks: [{ kind: 'reset' }] });
  });

  it('wait for the person who has taken over, and say when that began and ended', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const first = await receive(appId, '1');
    const id = first.session_id;
    expect((await post(id, 'takeover')).body).toMatchObject({ status: 'taken_over' });
    expect((await turn(first.id)).cancel_requested).toBe(true);
    expect((await post(id, 'takeover')).status).toBe(409);
    const during = await receive(appId, '2');
    await finish(first.id, 'failed', 'cancelled');
    expect([(await turn(first.id)).state, (await turn(during.id)).state]).toEqual(['cancelled', 'waiting']);
    const back = await post(id, 'hand-back');
    expect(back.body).toMatchObject({
      status: 'active',
      waiting: 0,
      marks: [{ kind: 'takeover' }, { kind: 'hand_back' }],
    });
    expect((await turn(during.id)).state).toBe('handled');
    expect((await receive(appId, '3')).state).toBe('open');
  });

  it('answer what came during a takeover when the person leaves it to the agent', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const first = await receive(appId, '1');
    await finish(first.id);
    await post(first.session_id, 'takeover');
    const [second, third] = [await receive(appId, '2'), await receive(appId, '3')];
    expect([second.state, third.state]).toEqual(['waiting', 'waiting']);
    await post(first.session_id, 'hand-back', { answer_waiting: true });
    expect([(await turn(second.id)).state, (await turn(third.id)).state]).toEqual(['open', 'waiting']);
  });

  it('go on with the next message when the turn under way is cancelled', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const [first, second] = [await receive(appId, '1'), await receive(appId, '2')];
    expect((await post(first.session_id, 'cancel-turn')).status).toBe(202);
    expect(await turn(first.id)).toMatchObject({ state: 'open', cancel_requested: true });
    await finish(first.id, 'failed', 'cancelled');
    expect([(await turn(first.id)).state, (await turn(second.id)).state]).toEqual(['cancelled', 'open']);
  });

  it('are resolved, and reopened by a person or by the next message', async () => {
    const appId = await world.channel(open);
    const { id, session_id } = await receive(appId, '1');
    await finish(id);
    expect((await post(session_id, 'resolve')).body.status).toBe('resolved');
    expect((await post(session_id, 'resolve')).status).toBe(409);
    expect((await post(session_id, 'reopen')).body.status).toBe('active');
    await post(session_id, 'resolve');
    expect((await receive(appId, '2')).session_id).toBe(session_id);
    const { body } = await world.api<{ data: { id: string }[] }>(
      'GET',
      `/api/v1/sessions?status=active&app_id=${appId}`,
    );
    expect(body.data.map((session) => session.id)).toEqual([session_id]);
  });
});
