import { until } from '#libs/testing';
import { result, seatForm as form, task, TravelDesk, waits } from '../testing/travel-desk.js';
import { turnsOf } from '../testing/turns-of.js';

let desk: TravelDesk;
beforeAll(async () => {
  desk = await TravelDesk.start();
});
beforeEach(() => desk.reset());
afterAll(() => desk.close());

describe('a call that its server has made a task of', () => {
  it('is looked at until its result has come, which is the result of the tool', async () => {
    desk.answers = [
      waits({ task: task({ words: 'Queued.' }) }),
      waits({ task: task({ words: 'Queued.' }) }),
      waits({ task: task({ words: 'Half.' }) }),
      result('booked'),
    ];
    const turn = await desk.begin(null);
    expect(await desk.ends(turn.turn_id)).toMatchObject({ state: 'succeeded' });
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    const look = { task_id: 'task-1' };
    expect(desk.calls().map(({ continued }) => continued)).toEqual([undefined, look, look, look]);
    const [audit] = await turnsOf(desk.world).audit(turn.turn_id);
    expect(audit).toMatchObject({ tool: 'desk__book', outcome: 'ok' });
    await until('the timeline has it', async () => (await desk.progressOf(turn.turn_id)).includes('Half.'));
    expect(await desk.progressOf(turn.turn_id)).toEqual(['Queued.', 'Half.']);
  });

  it('has its time from when it became one, however long the user took before', async () => {
    const looks = [waits({ task: task() }), waits({ task: task() }), waits({ task: task() })];
    desk.answers = [waits({ questions: { seat: form } }), ...looks, result('booked')];
    const turn = await desk.begin();
    const token = await desk.asked();
    await desk.waiting(turn.turn_id);
    await desk.world.query(`UPDATE engine.open_call SET created_at = now() - interval '1 day' WHERE token = $1`, [
      token,
    ]);
    await desk.post(token, { 'q0.f0': 'aisle', action: 'accept' });
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
  });

  it('shows nobody that an answer is written while it is only looked at', async () => {
    desk.answers = [waits({ task: task() }), waits({ task: task() }), waits({ task: task() }), result('booked')];
    desk.services.on('/internal/adapter-calls/indicate', () => ({ ok: true }));
    const reply = {
      app_id: 'app_1',
      channel_address: 'c-1',
      thread_id: null,
      reply_context: null,
      typing: true,
    } as const;
    await desk.ends((await desk.begin(null, 'desk__book', { reply })).turn_id);
    const shown = () =>
      desk.services.bodies<{ state: string }>('/internal/adapter-calls/indicate').map(({ state }) => state);
    await until('it has ended', () => shown().includes('done'));
    expect(shown()).toEqual(['working', 'done']);
  });

  it('asks the contact what it wants to know, each thing once', async () => {
    const wants = waits({ task: task(), questions: { seat: form } });
    desk.answers = [waits({ task: task() }), wants, wants, result('booked')];
    const turn = await desk.begin();
    await desk.post(await desk.asked(), { 'q0.f0': 'aisle', action: 'accept' });
    await desk.ends(turn.turn_id);
    expect(desk.messages()).toHaveLength(1);
    const given = { seat: { action: 'accept', content: { seat: 'aisle' } } };
    expect(desk.calls().map(({ continued }) => continued)).toEqual([
      undefined,
      { task_id: 'task-1' },
      { task_id: 'task-1', answers: given },
      { task_id: 'task-1' },
    ]);
  });

  it('is looked at again while the registry is away', async () => {
    desk.answers = [
      waits({ task: task() }),
      { ok: false, error: 'timeout', message: 'no answer', retryable: true },
      result('booked'),
    ];
    const turn = await desk.begin(null);
    await until('it was looked at', () => desk.calls().length === 2);
    await until('it was looked at again', async () => {
      await desk.lookNow(turn);
      return desk.calls().length === 3;
    });
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
  });

  it('ends when its time is over, and its server hears of that, however often it is away', async () => {
    desk.answers = [waits({ task: task({ ttl_ms: 300 }) })];
    const turn = await desk.begin(null);
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toMatchObject([{ error: { code: 'task_timeout' } }]);
    await until('the task is cancelled', () => desk.calls().some(({ continued }) => continued?.cancel === true));
  });

  it('is cancelled with its turn', async () => {
    desk.answers = [waits({ task: task({ poll_ms: 60_000 }) })];
    const turn = await desk.begin(null);
    await desk.waiting(turn.turn_id);
    expect(
      (await desk.world.call('POST', `turns/${turn.turn_id}/cancel`, undefined, { scopes: ['admin'] })).status,
    ).toBeLessThan(300);
    await until('the task is cancelled', () => desk.calls().some(({ continued }) => continued?.cancel === true));
    await until('nothing waits', async () => (await desk.open()).length === 0);
    expect(desk.calls().filter(({ continued }) => continued === undefined)).toHaveLength(1);
  });

  it('is cancelled once its server is back', async () => {
    let reported = 0;
    desk.services.on('/internal/tool-calls', () => {
      if (!desk.calls().at(-1)?.continued?.cancel) return waits({ task: task({ poll_ms: 60_000 }) });
      reported += 1;
      return { ok: false, error: reported < 3 ? 'unreachable' : 'cancelled', message: 'away', retryable: false };
    });
    const turn = await desk.begin(null);
    await desk.waiting(turn.turn_id);
    await desk.world.call('POST', `turns/${turn.turn_id}/cancel`, undefined, { scopes: ['admin'] });
    await until('nothing waits', async () => (await desk.open()).length === 0);
    expect(reported).toBe(3);
  });
});
