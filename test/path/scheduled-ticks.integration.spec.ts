import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import { type RouterSettings, SETTINGS } from '../../apps/router/src/env.js';
import { AttentionRepository } from '../../apps/router/src/manage/attention/attention.repository.js';
import type { ScheduleTickView, ScheduleView } from '../../apps/router/src/manage/schedules/schedule.dto.js';
import type { ScheduleRow, ScheduleTick } from '../../apps/router/src/manage/schedules/schedule.entity.js';
import { ScheduledMessages } from '../../apps/router/src/manage/schedules/scheduled-message.js';
import type { StoredMessage } from '../../apps/router/src/entities/message.entity.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { type PathWorld, pathWorld } from './path-world.js';

/** A moment that is past for Postgres, so that ticks up to it are due as soon as the clock of the router is there. */
const start = Date.parse('2025-06-02T08:00:00Z');
const minute = 60_000;

describe('the ticks of a schedule', () => {
  let world: PathWorld;
  let workflow: number;

  const eager = { SCHEDULE_EVERY_MS: 50, SCHEDULE_CATCH_UP: 5, SCHEDULE_QUEUED: 2 };

  beforeAll(async () => {
    world = await pathWorld(eager);
    // Another replica.
    const { ENGINE_URL } = world.router.get<RouterSettings>(SETTINGS, { strict: false });
    await world.start({ ENGINE_URL, ...eager });
  });
  beforeEach(async () => {
    world.setTime(start);
    workflow = (await world.call<{ id: number }>('POST', 'workflows', { name: 'w' })).body.id;
  });
  afterEach(async () => {
    await world.query('DELETE FROM router.schedule');
    await world.query('DELETE FROM router.schedule_tick');
  });
  afterAll(() => world.close());

  const create = async (given: object): Promise<string> => {
    const body = { name: 'Report', cron: '*/10 * * * *', workflow_id: workflow, message: 'Report.', ...given };
    const answer = await world.call<ScheduleView>('POST', 'schedules', body);
    expect(answer).toMatchObject({ status: 201 });
    const { id } = answer.body;
    await until('its ticks are stored', async () => {
      const { planned_until: until, created_at } = await world.row<ScheduleRow>(
        'SELECT * FROM router.schedule WHERE id = $1',
        [id],
      );
      return until > created_at;
    });
    return id;
  };
  const ticksOf = async (id: string): Promise<ScheduleTickView[]> =>
    (await world.call<{ data: ScheduleTickView[] }>('GET', `schedules/${id}/ticks?limit=100`)).body.data.toReversed();
  /** Moves the clock. @returns the ticks up to then, when all have ended */
  const at = (ms: number, id: string, count: number): Promise<ScheduleTickView[]> => {
    world.setTime(ms);
    return until('the ticks have ended', async () => {
      const ticks = await ticksOf(id);
      return ticks.length === count && ticks.every(({ ended_at }) => ended_at !== null) && ticks;
    });
  };
  const states = (ticks: ScheduleTickView[]): string[] => ticks.map(({ state }) => state);
  const messagesOf = (id: string): Promise<StoredMessage[]> =>
    world.messages('WHERE app_id = $1 ORDER BY id', [`schedule:${id}`]);

  it('run the workflow once each, with an event that says why', async () => {
    const id = await create({});
    const [first] = await at(start + 10 * minute + 1_000, id, 1);
    expect(first).toMatchObject({
      at: '2025-06-02T08:10:00.000Z',
      state: 'ran',
      reason: null,
      event_id: expect.stringMatching(/^evt_/),
      run_id: expect.stringMatching(/^run_/),
    });
    const [message] = await messagesOf(id);
    expect(message).toMatchObject({
      receipt_id: first?.event_id,
      outcome: 'routed',
      text_from: 'system',
      message: { event_type: 'schedule', sender: 'Report', message: 'Report.', metadata: { schedule: { id } } },
    });
    await world.take(first?.event_id ?? '');
    const { body } = await world.call<{ timeline: object[]; runs: { id: string; workflow_id: number }[] }>(
      'GET',
      `events/${first?.event_id}`,
    );
    expect(body.runs).toMatchObject([{ id: first?.run_id, workflow_id: workflow }]);
    expect(body.timeline.slice(0, 2)).toMatchObject([
      { stage: 'received', outcome: 'accepted', service: 'router', detail: { by: 'schedule', schedule_id: id } },
      { stage: 'routed', outcome: 'routed' },
    ]);
  });

  it('write to an agent in one session of the schedule', async () => {
    const agent = await world.call<{ id: string }>('POST', 'agents', { name: 'Reporter', instructions: 'Report.' });
    const id = await create({ workflow_id: undefined, agent_id: agent.body.id, overlap: 'allow', catch_up: 'all' });
    const ticks = await at(start + 20 * minute, id, 2);
    expect(ticks.map(({ run_id }) => run_id)).toEqual([null, null]);
    for (const { event_id: event } of ticks) await world.take(event ?? '');
    const turns = await Promise.all(ticks.map(({ event_id: event }) => world.turnsOf(event ?? '')));
    expect(new Set(turns.flat().map(({ session_id }) => session_id)).size).toBe(1);
    const { body } = await world.call<{ agent_id: string; app_id: string }>(
      'GET',
      `sessions/${turns[0]?.[0]?.session_id}`,
    );
    expect(body).toMatchObject({ agent_id: agent.body.id, app_id: `schedule:${id}` });
  });

  it.each([
    ['none', Array(9).fill('missed')],
    ['last', [...Array(8).fill('missed'), 'late']],
    ['all', [...Array(4).fill('missed'), ...Array(5).fill('late')]],
  ])('that were due in an outage: with catch_up %s', async (catch_up, expected) => {
    const id = await create({ catch_up, overlap: 'allow' });
    const ticks = await at(start + 95 * minute, id, 9);
    expect(states(ticks)).toEqual(expected);
    expect(ticks.filter(({ state }) => state === 'missed').map(({ reason }) => reason)).toEqual(
      expected.filter((state) => state === 'missed').map(() => 'too_late'),
    );
    const late = expected.filter((state) => state === 'late').length;
    expect((await messagesOf(id)).map(({ receipt_id }) => receipt_id)).toEqual(
      ticks.flatMap(({ event_id: event }) => event ?? []),
    );
    expect(await messagesOf(id)).toHaveLength(late);
    const reported = await world.router.get(AttentionRepository, { strict: false }).of(caller);
    // They are reported for a day, and this was long ago.
    expect(reported).toEqual([]);
    await world.query("UPDATE router.schedule_tick SET at = at + (now() - '2025-06-03T08:00:00Z'::timestamptz)");
    expect(await world.router.get(AttentionRepository, { strict: false }).of(caller)).toMatchObject([
      { code: 'ticks_missed', count: 9 - late, resource: { kind: 'schedule', id }, scope: 'workflows:read' },
    ]);
  });

  it('are skipped while a turn of the one before is open', async () => {
    const id = await create({});
    const [first] = await at(start + 10 * minute, id, 1);
    // The engine has not taken its turn, then works on it.
    expect(states(await at(start + 20 * minute, id, 2))).toEqual(['ran', 'skipped']);
    await world.take(first?.event_id ?? '');
    const ticks = await at(start + 30 * minute, id, 3);
    expect(ticks.slice(1)).toMatchObject(Array(2).fill({ state: 'skipped', reason: 'previous_run', event_id: null }));
    const [turn] = await world.turnsOf(first?.event_id ?? '');
    await world.finish(turn?.id ?? '');
    expect(states(await at(start + 40 * minute, id, 4))).toEqual(['ran', 'skipped', 'skipped', 'ran']);
  });

  it('wait for the end of the run before, in their order, and no more of them than may', async () => {
    const id = await create({ overlap: 'queue', catch_up: 'none' });
    const [first] = await at(start + 10 * minute, id, 1);
    await world.take(first?.event_id ?? '');
    const waiting = async (count: number): Promise<void> => {
      world.setTime(start + 10 * minute * (count + 1));
      await until(`${count} wait`, async () => {
        const reasons = (await ticksOf(id)).slice(1).map(({ reason }) => reason);
        return reasons.length === count && !reasons.includes(null);
      });
    };
    for (const count of [1, 2, 3]) await waiting(count);
    expect((await ticksOf(id)).map(({ reason }) => reason)).toEqual([
      null,
      'previous_run',
      'previous_run',
      'queue_full',
    ]);
    // A tick that waits is running while it is looked at.
    const settled = await until('none is looked at', async () => {
      const now = states(await ticksOf(id));
      return !now.includes('running') && now;
    });
    expect(settled).toEqual(['ran', 'queued', 'queued', 'skipped']);
    for (const place of [0, 1, 2]) {
      const event = await until('it has started', async () => (await ticksOf(id))[place]?.event_id);
      await world.take(event);
      const [turn] = await world.turnsOf(event);
      await world.finish(turn?.id ?? '');
    }
    // Though they are late, they are not missed.
    expect(states(await ticksOf(id))).toEqual(['ran', 'late', 'late', 'skipped']);
  });

  it.each([
    ['does not exist, when the clock has jumped', '2025-03-29T12:00Z', ['2025-03-30T01:00:00.000Z']],
    ['exists twice, the first time', '2025-10-25T12:00Z', ['2025-10-26T00:30:00.000Z']],
  ])('run at a local time that %s', async (_which, from, times) => {
    const noon = Date.parse(from);
    world.setTime(noon);
    const id = await create({ cron: '30 2 * * *', time_zone: 'Europe/Berlin', late_after_s: 86_400, catch_up: 'all' });
    const ticks = await at(noon + 24 * 60 * minute, id, 1);
    expect(ticks.map((tick) => [tick.at, tick.state])).toEqual(times.map((time) => [time, 'ran']));
  });

  it('are one each, with two replicas that catch up', async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, () =>
        create({ cron: '* * * * *', catch_up: 'all', overlap: 'allow', late_after_s: 86_400 }),
      ),
    );
    for (const id of ids) {
      const ticks = await at(start + 90 * minute, id, 90);
      expect(new Set(states(ticks))).toEqual(new Set(['ran']));
      expect(await messagesOf(id)).toHaveLength(90);
    }
  });

  it('are not routed again by the claim after a process that died', async () => {
    const id = await create({});
    const schedule = await world.row<ScheduleRow>('SELECT * FROM router.schedule WHERE id = $1', [id]);
    const sql = 'UPDATE router.schedule_tick SET state = $2, claim = 1, lease_until = now() + $3 WHERE id = $1';
    const tick = await world.row<ScheduleTick>(
      'SELECT * FROM router.schedule_tick WHERE schedule_id = $1 ORDER BY at',
      [id],
    );
    await world.query(sql, [tick.id, 'running', '1 hour']);
    world.setTime(start + 10 * minute);
    await world.router.get(ScheduledMessages, { strict: false }).start(schedule, tick);
    await world.query('UPDATE router.schedule SET active = false WHERE id = $1', [id]);
    await world.query(sql, [tick.id, 'running', '-1 hour']);
    const [message] = await messagesOf(id);
    expect(await at(start + 10 * minute, id, 1)).toMatchObject([{ state: 'late', event_id: message?.receipt_id }]);
    expect(await messagesOf(id)).toHaveLength(1);
  });

  it('are skipped where the workflow is off, and none come while the schedule is', async () => {
    const id = await create({});
    await world.call('PATCH', `workflows/${workflow}`, { status: 'off' });
    expect(await at(start + 10 * minute, id, 1)).toMatchObject([{ state: 'skipped', reason: 'workflow_off' }]);
    await world.call('PATCH', `schedules/${id}`, { active: false });
    world.setTime(start + 60 * minute);
    await world.call('PATCH', `workflows/${workflow}`, { status: 'active' });
    await world.call('PATCH', `schedules/${id}`, { active: true, cron: '5 * * * *' });
    expect(await at(start + 65 * minute, id, 2)).toMatchObject([{ state: 'skipped' }, { state: 'ran' }]);
  });

  describe('and the schedule itself', () => {
    const path = (id: string): string => `schedules/${id}`;

    it('has defaults, its next ten times, and is changed and deleted', async () => {
      const id = await create({ cron: '0 9 * * MON-FRI', time_zone: 'Europe/Berlin' });
      const { body, headers } = await world.call<ScheduleView>('GET', path(id));
      expect(body).toMatchObject({
        late_after_s: 60,
        overlap: 'skip',
        catch_up: 'last',
        active: true,
        set_by: 'key:test',
      });
      expect(body.next).toHaveLength(10);
      expect(body.next.slice(0, 2)).toEqual(['2025-06-03T07:00:00.000Z', '2025-06-04T07:00:00.000Z']);
      const change = { headers: { 'if-match': headers.get('etag') ?? '' } };
      const changed = await world.call<ScheduleView>('PATCH', path(id), { cron: '30 9 * * *' }, change);
      expect(changed).toMatchObject({ status: 200, body: { cron: '30 9 * * *', name: 'Report' } });
      expect((await world.call('PATCH', path(id), { name: 'x' }, change)).status).toBe(412);
      expect((await world.call<{ data: ScheduleView[] }>('GET', 'schedules')).body.data).toMatchObject([
        { id, next: ['2025-06-03T07:30:00.000Z'] },
      ]);
      expect((await world.call('DELETE', path(id))).status).toBe(204);
      expect((await world.call('GET', path(id))).status).toBe(404);
      expect(await world.query('SELECT FROM router.schedule_tick')).toEqual([]);
    });

    it.each([
      [{ cron: '0 9 * *' }, 'cron', 'give five fields'],
      [{ cron: '0 25 * * *' }, 'cron', 'Invalid value for hour: 25'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone', 'there is no time zone "Mars/Olympus"'],
      [{ workflow_id: 999 }, 'workflow_id', 'there is no workflow 999'],
      [{ agent_id: newId('agt') }, 'workflow_id', 'either workflow_id or agent_id'],
      [{ workflow_id: null }, 'workflow_id', 'either workflow_id or agent_id'],
      [{ late_after_s: 1 }, 'late_after_s', '10'],
      [{ overlap: 'often' }, 'overlap', 'skip'],
    ])('is refused with %j', async (given, field, words) => {
      const body = { name: 'Report', cron: '0 9 * * *', workflow_id: workflow, ...given };
      expect(await world.call('POST', 'schedules', body)).toMatchObject({
        status: 422,
        body: { code: 'invalid_fields', errors: [{ field, message: expect.stringContaining(words) }] },
      });
    });

    it('is of one project, and takes the scopes of workflows', async () => {
      const id = await create({});
      const stranger = { projectId: newId('prj') };
      for (const [method, to] of [
        ['GET', path(id)],
        ['GET', `${path(id)}/ticks`],
        ['DELETE', path(id)],
      ] as const) {
        expect((await world.call(method, to, undefined, stranger)).status).toBe(404);
      }
      expect((await world.call('PATCH', path(id), { name: 'x' }, stranger)).status).toBe(404);
      const reader = { scopes: ['workflows:read' as const] };
      expect((await world.call('GET', path(id), undefined, reader)).status).toBe(200);
      expect((await world.call('DELETE', path(id), undefined, reader)).status).toBe(403);
    });
  });
});
