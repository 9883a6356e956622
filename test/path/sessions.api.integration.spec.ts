import { newId } from '#libs/contracts';
import type { SessionDetail } from '../../apps/engine/src/manage/sessions/session.service.js';
import { type PathWorld, pathWorld } from './path-world.js';

interface Listed {
  data: { id: string }[];
  next_cursor: string | null;
}

describe('sessions', () => {
  let world: PathWorld;

  beforeAll(async () => {
    world = await pathWorld();
  });
  afterAll(() => world.close());

  const open = { unknown_senders: 'open' } as const;
  const receive = async (
    appId: string,
    message: string,
    over: object = {},
    app_kind: 'adapter' | 'builtin' = 'adapter',
  ) => {
    const [turn] = await world.turnsOf(await world.receive(appId, { message, ...over }, { app_kind }));
    if (!turn) throw new Error('the message has no turn');
    return turn;
  };
  const turn = (id: string) => world.turn(id);
  const finish = (id: string, state: 'succeeded' | 'failed' = 'succeeded', error: string | null = null) =>
    world.finish(id, { state, error });
  /** Moves everything in a session that much into the past. */
  const goBy = async (sessionId: string | null, minutes: number) => {
    await world.query('UPDATE engine.session SET updated_at = updated_at - make_interval(mins => $2) WHERE id = $1', [
      sessionId,
      minutes,
    ]);
    await world.query('UPDATE engine.turn SET ended_at = ended_at - make_interval(mins => $2) WHERE session_id = $1', [
      sessionId,
      minutes,
    ]);
  };
  const post = (id: string | null, verb: string, body: object = {}) =>
    world.call<SessionDetail>('POST', `sessions/${id}/${verb}`, body);

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

  it('answer waiting messages one by one, where the channel queues', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const [first, second, third] = [await receive(appId, '1'), await receive(appId, '2'), await receive(appId, '3')];
    expect([first.state, second.state, third.state]).toEqual(['open', 'waiting', 'waiting']);
    await finish(first.id);
    expect([(await turn(second.id)).state, (await turn(third.id)).state]).toEqual(['open', 'waiting']);
    expect((await turn(second.id)).epoch).toBeGreaterThan(first.epoch);
    await finish(first.id);
    expect((await turn(third.id)).state).toBe('waiting');
  });

  it('answer waiting messages in one turn, where the channel collects', async () => {
    const appId = await world.channel(open);
    const first = await receive(appId, '1');
    const [second, third] = [await receive(appId, '2'), await receive(appId, '3')];
    await finish(first.id);
    expect(await turn(second.id)).toMatchObject({ state: 'collected', collected_into: third.id });
    const now = await turn(third.id);
    expect(now).toMatchObject({ state: 'open', input: { message: { message: '3' } } });
    expect(now.input?.earlier?.map(({ message }) => message)).toEqual(['2']);
  });

  it('never answer one sender with the rights of another', async () => {
    const appId = await world.channel({ ...open, session_scope: 'channel' });
    const first = await receive(appId, '1');
    const [bob, eve, bobLater] = [
      await receive(appId, '2', { sender: 'bob' }),
      await receive(appId, '3', { sender: 'eve' }),
      await receive(appId, '4', { sender: 'bob' }),
    ];
    await finish(first.id);
    expect((await turn(bob.id)).state).toBe('open');
    await finish(bob.id);
    expect([(await turn(eve.id)).state, (await turn(bobLater.id)).state]).toEqual(['open', 'waiting']);
    expect((await turn(eve.id)).input?.earlier).toBeUndefined();
  });

  it('never answer rehearsed and live messages together', async () => {
    const appId = await world.channel(open);
    const first = await receive(appId, '1');
    expect((await world.call('POST', `events/${first.receipt_id}/replay`, {})).status).toBe(202);
    await world.take(first.receipt_id);
    const live = await receive(appId, '2');
    await finish(first.id);
    const rehearsal = (await world.turnsOf(first.receipt_id)).find(({ input }) => input?.rehearsal);
    expect(rehearsal).toMatchObject({ state: 'open', input: { reply: null } });
    expect((await turn(live.id)).state).toBe('waiting');
    await finish(rehearsal?.id ?? '');
    expect((await turn(live.id)).input).not.toHaveProperty('rehearsal');
    expect((await turn(live.id)).input).not.toHaveProperty('earlier');
  });

  it('queue for the built-in Webhook App', async () => {
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
    const idle = await world.channel({ ...open, idle_reset_minutes: 30 });
    // This hour began less than an hour ago, and its previous start is a day ago.
    const daily = await world.channel({ ...open, daily_reset_hour: new Date().getUTCHours() });
    const [a, b] = [await receive(idle, '1'), await receive(daily, '1')];
    await finish(a.id);
    await goBy(a.session_id, 20);
    const second = await receive(idle, '2');
    expect(second.session_id).toBe(a.session_id);
    await goBy(a.session_id, 60);
    // A turn still runs there, and a running session is not split.
    expect((await receive(idle, '3')).session_id).toBe(a.session_id);
    await goBy(b.session_id, 90);
    expect((await receive(daily, '2')).session_id).toBe(b.session_id);
    await finish(b.id);
    const [waited] = await world.query<{ id: string }>(
      `SELECT id FROM engine.turn WHERE app_id = $1 AND state = 'queued'`,
      [daily],
    );
    await finish(waited?.id ?? '');
    expect((await receive(daily, '3')).session_id).toBe(b.session_id);
    await world.query(
      `UPDATE engine.turn SET state = 'failed', ended_at = now() WHERE session_id = $1 AND state = 'running'`,
      [b.session_id],
    );
    await goBy(b.session_id, 90);
    const renewed = await receive(daily, '4');
    expect(renewed.session_id).not.toBe(b.session_id);
    const closed = await world.call<SessionDetail>('GET', `sessions/${b.session_id}`);
    expect(closed.body).toMatchObject({ status: 'closed', marks: [{ kind: 'reset' }] });
  });

  it('handle messages that arrive out of order in the order of their acknowledgement', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const busy = await receive(appId, '1');
    const receipts = [newId('evt'), newId('evt'), newId('evt')];
    for (const at of [2, 0, 1]) await world.receive(appId, { message: String(at) }, { receipt_id: receipts[at] });
    const [first, second, third] = (await Promise.all(receipts.map((id) => world.turnsOf(id)))).flat();
    const started: number[] = [];
    for (let last = busy.id, n = 0; n < 3; n += 1) {
      await finish(last);
      const now = await Promise.all([first, second, third].map((each) => turn(each?.id ?? '')));
      started.push(now.findIndex(({ state }) => state === 'open'));
      last = now.find(({ state }) => state === 'open')?.id ?? '';
    }
    expect(started).toEqual([0, 1, 2]);
  });

  it('wait for the person who has taken over, and record when that began and ended', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const first = await receive(appId, '1');
    const id = first.session_id;
    expect((await post(id, 'takeover')).body).toMatchObject({ status: 'taken_over' });
    expect((await turn(first.id)).state).toBe('cancelled');
    expect((await post(id, 'takeover')).status).toBe(409);
    const during = await receive(appId, '2');
    await finish(first.id);
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

  it('answer messages from a takeover when the person leaves them to the agent', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const first = await receive(appId, '1');
    await finish(first.id);
    await post(first.session_id, 'takeover');
    const [second, third] = [await receive(appId, '2'), await receive(appId, '3')];
    expect([second.state, third.state]).toEqual(['waiting', 'waiting']);
    await post(first.session_id, 'hand-back', { answer_waiting: true });
    expect([(await turn(second.id)).state, (await turn(third.id)).state]).toEqual(['open', 'waiting']);
  });

  it('continue with the next message when the running turn is cancelled', async () => {
    const appId = await world.channel({ ...open, inbox_mode: 'queue' });
    const [first, second] = [await receive(appId, '1'), await receive(appId, '2')];
    expect((await post(first.session_id, 'cancel-turn')).status).toBe(202);
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
    const { body } = await world.call<{ data: { id: string }[] }>('GET', `sessions?status=active&app_id=${appId}`);
    expect(body.data.map((session) => session.id)).toEqual([session_id]);
  });

  it('are listed by their newest message, page by page', async () => {
    const appId = await world.channel({ ...open, session_scope: 'thread' });
    const ids: (string | null)[] = [];
    for (const thread_id of ['a', 'b', 'c', 'a'])
      ids.push((await receive(appId, `in ${thread_id}`, { thread_id })).session_id);
    const [a, b, c] = ids;
    const list = async (query: string) =>
      (await world.call<Listed>('GET', `sessions?app_id=${appId}&limit=2${query}`)).body;
    const first = await list('&sort=last_message');
    expect(first.data.map(({ id }) => id)).toEqual([a, c]);
    const cursor = `&cursor=${first.next_cursor}`;
    expect((await list(`&sort=last_message${cursor}`)).data.map(({ id }) => id)).toEqual([b]);
    expect((await list('&sort=last_message&order=asc')).data.map(({ id }) => id)).toEqual([b, c]);
    expect((await list('')).data.map(({ id }) => id)).toEqual([c, b]);
    const mixed = await world.call('GET', `sessions?app_id=${appId}${cursor}`);
    expect(mixed).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    const plain = await list('');
    const other = await world.call('GET', `sessions?sort=last_message&cursor=${plain.next_cursor}`);
    expect(other).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('are found by what was written in them, by their sender and by their key', async () => {
    const appId = await world.channel({ ...open, session_scope: 'thread' });
    const made = async (text: string, thread_id: string, sender: string) =>
      (await receive(appId, text, { thread_id, sender })).session_id;
    const parcel = await made('Where is my 100%_sure parcel?', 'one', 'ada');
    const bill = await made('The bill is wrong', 'two', 'bob');
    await receive(appId, 'Anybody?', { thread_id: 'one', sender: 'ada' });
    const found = async (text: string) => {
      const path = `sessions?app_id=${appId}&sort=last_message&search=${encodeURIComponent(text)}`;
      return (await world.call<Listed>('GET', path)).body.data.map(({ id }) => id);
    };
    expect(await found('PARCEL')).toEqual([parcel]);
    expect(await found('%_sure')).toEqual([parcel]);
    expect(await found('bob')).toEqual([bill]);
    expect(await found('two')).toEqual([bill]);
    expect(await found('nobody wrote this')).toEqual([]);
  });
});
