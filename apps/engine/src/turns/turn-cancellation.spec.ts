import { newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../testing/engine-under-test.js';
import { TurnCancellation } from './turn-cancellation.service.js';
import { StepRepository } from './step.repository.js';
import { TurnEndingRepository } from './turn-ending.repository.js';
import { TurnRepository } from './turn.repository.js';

describe('a cancelled turn', () => {
  let world: EngineWorld;
  let turns: TurnRepository;
  let endings: TurnEndingRepository;
  let steps: StepRepository;
  let cancellation: TurnCancellation;

  beforeAll(async () => {
    world = await engineWorld();
    const engine = await world.start();
    turns = engine.get(TurnRepository, { strict: false });
    endings = engine.get(TurnEndingRepository, { strict: false });
    steps = engine.get(StepRepository, { strict: false });
    cancellation = engine.get(TurnCancellation, { strict: false });
  });
  afterAll(() => world.close());

  const cancel = (turnId: string) => cancellation.cancel({ id: turnId, session_id: null });
  const stored = async (turnId: string) =>
    (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [turnId])).rows[0] as {
      state: string;
      reply_text: null;
    };

  it('stores no step and no reply of whoever runs it, and says that it ended', async () => {
    const turn = turnOf();
    const claim = { turn_id: turn.turn_id, lease_owner: 'engine_elsewhere', attempt: 1 };
    expect(await turns.claim(turn, claim.lease_owner)).toMatchObject({ state: 'claimed' });
    expect(await cancel(turn.turn_id)).toBe(true);
    const step = { seq: 1, kind: 'reply' as const, content: { text: 'late' }, tokens: null, duration_ms: null };
    expect(await steps.append(claim, [step], { agentId: 'agt_1', contactId: null })).toBe(false);
    const { organization_id, project_id } = turn;
    const late = {
      session_id: null,
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
    expect(await endings.end({ ...claim, ...late, new_steps: [step], answer_id: newId('dlv') }, [])).toMatchObject({
      ended: false,
    });
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'failed', reply_text: null });
  });

  it('is not run when its job comes again', async () => {
    const turn = turnOf();
    await turns.claim(turn, 'engine_elsewhere');
    await cancel(turn.turn_id);
    expect(await turns.claim(turn, 'engine_other')).toEqual({ state: 'ended' });
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'failed', error: 'cancelled' });
  });

  it('that had succeeded before has succeeded', async () => {
    const turn = turnOf();
    await world.jobs.wake(turnRun, turn);
    await until('the turn succeeded', async () => (await stored(turn.turn_id))?.state === 'succeeded');
    expect(await cancel(turn.turn_id)).toBe(false);
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'succeeded' });
  });
});
