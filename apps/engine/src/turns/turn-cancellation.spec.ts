import { newId, turnFinished, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../testing/engine-under-test.js';
import { StepRepository } from './step.repository.js';
import { TurnEndingRepository } from './turn-ending.repository.js';
import { TurnRepository } from './turn.repository.js';

describe('a cancelled turn', () => {
  let world: EngineWorld;
  let turns: TurnRepository;
  let endings: TurnEndingRepository;
  let steps: StepRepository;

  beforeAll(async () => {
    world = await engineWorld();
    const engine = await world.start();
    turns = engine.get(TurnRepository, { strict: false });
    endings = engine.get(TurnEndingRepository, { strict: false });
    steps = engine.get(StepRepository, { strict: false });
  });
  afterAll(() => world.close());

  const said = (turnId: string) =>
    until(`the end of ${turnId} is announced`, async () =>
      (await world.waiting(turnFinished)).flatMap((job) => job.turns).find((turn) => turn.turn_id === turnId),
    );
  const stored = async (turnId: string) =>
    (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [turnId])).rows[0] as {
      state: string;
      reply_text: null;
    };

  it('stores no step and no reply of whoever runs it, and says that it ended', async () => {
    const turn = turnOf();
    const claim = { turn_id: turn.turn_id, lease_owner: 'engine_elsewhere', attempt: 1 };
    expect(await turns.claim(turn, claim.lease_owner)).toMatchObject({ state: 'claimed' });
    await world.jobs.wake(turnRun, { ...turn, cancelled: true });
    expect(await said(turn.turn_id)).toEqual({ turn_id: turn.turn_id, state: 'failed', error: 'cancelled' });
    const step = { seq: 1, kind: 'reply' as const, content: { text: 'late' }, tokens: null, duration_ms: null };
    expect(await steps.append(claim, [step], { agentId: 'agt_1', contactId: null })).toBe(false);
    const { organization_id, project_id } = turn;
    const late = {
      organization_id,
      project_id,
      reply_text: 'late',
      reason: null,
      steps: 1,
      tokens: 0,
      cost_micros: 0,
      agent_id: 'agt_1',
      contact_id: '',
      read_untrusted: false,
    };
    expect(await endings.end({ ...claim, ...late, new_steps: [step], answer_id: newId('dlv') }, [])).toBe(false);
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'failed', reply_text: null });
  });

  it('is not run when its own job comes after the cancellation', async () => {
    const turn = turnOf();
    await world.jobs.wake(turnRun, { ...turn, cancelled: true });
    await said(turn.turn_id);
    expect(await turns.claim(turn, 'engine_other')).toMatchObject({ state: 'ended', turn: { error: 'cancelled' } });
  });

  it('that had succeeded before is said to have succeeded', async () => {
    const turn = turnOf();
    await world.jobs.wake(turnRun, turn);
    await until('the turn succeeded', async () => (await stored(turn.turn_id))?.state === 'succeeded');
    await world.loseJobs();
    await world.jobs.wake(turnRun, { ...turn, cancelled: true });
    expect(await said(turn.turn_id)).toMatchObject({ state: 'succeeded' });
  });
});
