import { type AskedWait, newId, turnRun, type WaitAnswer, type WaitHeard, type WorkflowStep } from '#libs/contracts';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import type { FakeAnswer } from '../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('a step that waits for an event', () => {
  let world: EngineWorld;
  let agent: string;
  let answers: (WaitAnswer | { status: number; code: string })[] = [];

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['workflows:read', 'agents:read', 'agents:write'] });
    agent = await agentOf(world, { tools: ['http_request'], allowed_hosts: [new URL(world.target.url).host] });
    await world.start({ ROUTER_URL: world.services.url, MODEL_STREAMING: 0 });
    world.services.on('/internal/event-waits/', (): FakeAnswer => answers.shift() ?? { state: 'waiting', event: null });
  });
  beforeEach(() => {
    answers = [];
    world.model.script();
    world.services.requests.length = 0;
  });
  afterAll(() => world.close());

  const event = {
    id: newId('evt'),
    message_id: newId('msg'),
    app_id: newId('app'),
    message: { event_type: 'paid', sender: 'shop', message: 'it is paid', is_bot: false, metadata: { order: 7 } },
    verified: true,
    trust: 'known' as const,
    text_from: 'people' as const,
  };
  const fulfilled: WaitAnswer = { state: 'fulfilled', event };
  const wait = (more: Partial<WorkflowStep> = {}): WorkflowStep => ({
    name: 'paid',
    kind: 'wait',
    event_type: 'paid',
    where: 'metadata.order == run.metadata.ticket',
    wait_minutes: 60,
    ...more,
  });
  const begin = async (steps: WorkflowStep[], input = {}) => {
    const run = { id: newId('run'), workflow_id: 3, trigger_id: null, replay: false, replay_of: null };
    const turn = turnOf({ agent_id: agent, run }, { steps, ...input });
    await world.jobs.enqueue(turnRun, turn);
    return {
      turn,
      shown: async () => (await world.call('GET', `runs/${run.id}`)).body,
      waits: () =>
        until('the run waits', async () => {
          const row = await turnsOf(world).row(turn.turn_id);
          return row?.state === 'queued' && row.reason === 'event_awaited' && row;
        }),
      ends: () => turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed'),
    };
  };
  const asked = () => world.services.requests.filter(({ method }) => method === 'PUT');
  const heard = async (turnId: string): Promise<WaitHeard['is']> => {
    const wait_id = asked().at(-1)?.path.split('/').at(-1);
    return (await world.internal<WaitHeard>('POST', `turns/${turnId}/wait-ended`, { wait_id })).body.is;
  };

  it('asks the router, holds nothing meanwhile, and goes on with the event when it is informed', async () => {
    answers = [{ state: 'waiting', event: null }, fulfilled];
    world.model.script('Order 7 is paid.');
    const run = await begin([wait(), { name: 'tell', kind: 'agent', instructions: 'Tell.' }]);
    const row = await run.waits();
    expect(row.due_at.getTime()).toBeGreaterThan(Date.now() + 600_000);
    const [body] = world.services.bodies<AskedWait>(asked()[0]?.path ?? '');
    expect(body).toMatchObject({
      turn_id: run.turn.turn_id,
      run_id: run.turn.run?.id,
      workflow_id: 3,
      message_id: run.turn.message_id,
      step: 'paid',
      app_id: null,
      event_type: 'paid',
      consume: false,
      since: null,
      given: { run: { metadata: { ticket: 7 } }, steps: {} },
    });
    expect(Date.parse(body?.until ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    const before = await run.shown();
    expect(before).toMatchObject({ state: 'waiting', reason: 'event_awaited', waiting_until: body?.until });
    expect(before.steps?.[0]).toMatchObject({ state: 'waiting', reason: 'event_awaited', wait_id: expect.any(String) });
    expect(await heard(run.turn.turn_id)).toBe('woken');
    expect(await run.ends()).toMatchObject({ state: 'succeeded', reply_text: 'Order 7 is paid.' });
    expect((await run.shown()).steps).toMatchObject([
      {
        state: 'done',
        wait_id: null,
        output: { is: true, timed_out: false, metadata: { order: 7 }, event: { id: event.id } },
      },
      { state: 'done' },
    ]);
    expect(JSON.stringify(world.model.requests[0]?.messages)).toContain('it is paid');
    expect(await heard(run.turn.turn_id)).toBe('over');
  });

  it('trusts the event as far as its sender, and what is made of it no further', async () => {
    answers = [{ ...fulfilled, event: { ...event, trust: 'unknown' } }];
    const run = await begin([wait()]);
    expect(await run.ends()).toMatchObject({ state: 'succeeded', content_trust: 'untrusted' });
  });

  it.each([
    ['fails', {}, 'timed_out', { state: 'failed' }, { state: 'dead', reason: 'wait_timed_out' }],
    [
      'goes on and says no',
      { on_timeout: 'go_on' },
      'timed_out',
      { state: 'succeeded' },
      { output: { is: false, timed_out: true } },
    ],
    ['fails', { on_timeout: 'go_on' }, 'cancelled', { state: 'failed' }, { state: 'dead', reason: 'wait_cancelled' }],
    ['fails', {}, 'fulfilled', { state: 'failed' }, { state: 'dead', reason: 'event_gone' }],
  ] as const)('%s (%j) when the wait is %s without an event', async (_what, more, state, ended, step) => {
    answers = [{ state, event: null }];
    const run = await begin([wait(more)]);
    expect(await run.ends()).toMatchObject(ended);
    expect((await run.shown()).steps).toMatchObject([step]);
  });

  it('fails where the router takes no further wait, and waits anew when it is redriven', async () => {
    answers = [{ status: 409, code: 'too_many_event_waits' }, fulfilled];
    const run = await begin([wait()]);
    expect(await run.ends()).toMatchObject({ state: 'failed' });
    expect((await run.shown()).steps).toMatchObject([{ state: 'dead', reason: 'too_many_event_waits' }]);
    await turnsOf(world).redrive(run.turn, 1);
    await turnsOf(world).reaches(run.turn.turn_id, 'succeeded');
    expect(new Set(asked().map(({ path }) => path)).size).toBe(2);
  });

  it('waits on while the router does not answer', async () => {
    answers = [{ status: 503, code: 'service_unavailable' }];
    const run = await begin([wait()]);
    await run.waits();
    answers = [fulfilled];
    await heard(run.turn.turn_id);
    expect(await run.ends()).toMatchObject({ state: 'succeeded' });
  });

  it('consumes nothing in a rehearsal', async () => {
    answers = [fulfilled];
    const run = await begin([wait({ consume: true, since_begin: true })], {
      rehearsal: true,
      reply: null,
      reply_withheld: 'delivery_off',
    });
    await run.ends();
    expect(asked()[0]?.body).toMatchObject({ consume: false, since: expect.any(String) });
  });

  it('is withdrawn at the router once its run is cancelled', async () => {
    const run = await begin([wait()]);
    await run.waits();
    await world.call('POST', `turns/${run.turn.turn_id}/cancel`);
    const path = asked()[0]?.path;
    await until('the wait is withdrawn', async () =>
      Promise.resolve(world.services.requests.some((request) => request.method === 'DELETE' && request.path === path)),
    );
    expect((await run.shown()).steps).toMatchObject([{ state: 'not_done', wait_id: null }]);
    expect(await heard(run.turn.turn_id)).toBe('over');
  });
});
