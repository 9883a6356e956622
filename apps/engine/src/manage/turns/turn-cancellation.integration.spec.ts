import { newId, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';
import { discardHeld } from './held-turns.js';
import { TurnCancellation } from './turn-cancellation.service.js';
import { StepRepository } from '../../path/steps/step.repository.js';
import { TurnEndingRepository } from '../../path/turns/turn-ending.repository.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';

describe('a cancelled turn', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;
  let turns: TurnRepository;
  let endings: TurnEndingRepository;
  let steps: StepRepository;
  let cancellation: TurnCancellation;

  beforeAll(async () => {
    world = await engineWorld();
    engine = await world.start(rehearsal);
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

  it('stores no step and no reply of the process that runs it, and reports its end', async () => {
    const turn = turnOf();
    const claim = { turn_id: turn.turn_id, claim: 1 };
    expect(await turns.claim(turn, 'engine_elsewhere')).toMatchObject({ state: 'claimed' });
    expect(await cancel(turn.turn_id)).toBe(true);
    const step = { seq: 1, kind: 'model_call' as const, content: { text: 'late' }, tokens: null, duration_ms: null };
    expect(await steps.append(claim, [step], { agentId: 'agt_1', agentVersion: 1, contactId: null })).toBe(false);
    const { organization_id, project_id } = turn;
    const late = {
      session_id: null,
      organization_id,
      project_id,
      reply_text: 'late',
      output: null,
      reason: null,
      steps: 1,
      tokens: 0,
      cost_micros: 0,
      agent_id: 'agt_1',
      agent_version: 1,
      contact_id: '',
      content_trust: 'own' as const,
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
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'failed', reason: 'cancelled' });
  });

  it('may be one held for more messages that arrives after its workflow discarded what it held', async () => {
    const waiting = (workflow_id: number, at: number) => {
      const run = { id: newId('run'), workflow_id, trigger_id: null, replay: false, replay_of: null };
      return turnOf({ run, held: { until: 'messages', at: new Date(at).toISOString() } });
    };
    const nowMs = Date.now();
    const [late, newer, other] = [waiting(7, nowMs - 5), waiting(7, nowMs + 5), waiting(8, nowMs - 5)];
    await discardHeld(engine.get(DataSource), late.project_id, 7, new Date(nowMs).toISOString());
    for (const turn of [late, newer, other]) {
      expect(await turns.claim(turn, 'engine_elsewhere')).toEqual({ state: 'waiting' });
    }
    expect(await stored(late.turn_id)).toMatchObject({ state: 'failed', reason: 'discarded' });
    for (const { turn_id } of [newer, other]) expect(await stored(turn_id)).toMatchObject({ state: 'held' });
    const { held: _held, ...complete } = late;
    expect(await turns.claim(complete, 'engine_elsewhere')).toEqual({ state: 'ended' });
    const entries = await world.pool.query(
      `SELECT outcome, reason FROM ${everyEntry} e WHERE subject_id = $1 ORDER BY at`,
      [late.turn_id],
    );
    expect(entries.rows.at(-1)).toEqual({ outcome: 'failed', reason: 'discarded' });
  });

  it('stays succeeded if it had succeeded before', async () => {
    const turn = turnOf();
    await world.jobs.enqueue(turnRun, turn);
    await until('the turn succeeded', async () => (await stored(turn.turn_id))?.state === 'succeeded');
    expect(await cancel(turn.turn_id)).toBe(false);
    expect(await stored(turn.turn_id)).toMatchObject({ state: 'succeeded' });
  });
});
