import { deliverySend, idDigits, newId, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineWorld, engineWorld, sessionOf, turnOf, rehearsal } from '../../testing/engine-world.js';
import { StepRepository } from '../steps/step.repository.js';
import { type TurnEnding, TurnEndingRepository } from './turn-ending.repository.js';
import { TurnJobService } from './turn-job.service.js';
import { TurnRepository } from './turn.repository.js';

describe('custody of a turn', () => {
  let world: EngineWorld;
  let turns: TurnRepository;
  let endings: TurnEndingRepository;
  let steps: StepRepository;
  let jobsOf: TurnJobService;
  const large = turnOf({ session: sessionOf(newId('ses')) });
  const router = createServer((request, response) => {
    const known = request.url === `/internal/messages/${large.message_id}/turns/${large.turn_id}`;
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { input: large.input } : { code: 'turn_not_found' }));
  });

  beforeAll(async () => {
    world = await engineWorld();
    await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
    const engine = await world.start({
      ...rehearsal,
      ROUTER_URL: `http://127.0.0.1:${(router.address() as AddressInfo).port}`,
      INLINE_LIMIT_BYTES: 600,
    });
    turns = engine.get(TurnRepository, { strict: false });
    endings = engine.get(TurnEndingRepository, { strict: false });
    steps = engine.get(StepRepository, { strict: false });
    jobsOf = engine.get(TurnJobService, { strict: false });
  });
  afterAll(async () => {
    await world.close();
    await new Promise((resolve) => router.close(resolve));
  });

  const one = async (sql: string, parameters: unknown[]) => (await world.pool.query(sql, parameters)).rows[0];
  const ended = (id: string) =>
    until(`turn ${id} ends`, async () => {
      const row = await one('SELECT * FROM engine.turn WHERE id = $1', [id]);
      return ['succeeded', 'failed'].includes(row?.state) && row;
    });
  const held = async () => {
    const turn = turnOf();
    const owner = `engine_${turn.turn_id}`;
    expect(await turns.claim(turn, owner)).toMatchObject({ state: 'claimed', tried: { claim: 1, tries: 1 } });
    const ending: TurnEnding = {
      turn_id: turn.turn_id,
      claim: 1,
      session_id: null,
      organization_id: turn.organization_id,
      project_id: turn.project_id,
      reply_text: 'ok',
      output: null,
      reason: null,
      steps: 1,
      tokens: 0,
      cost_micros: 0,
      agent_id: 'agt_1',
      agent_version: 1,
      contact_id: '',
      content_trust: 'own' as const,
      new_steps: [{ seq: 1, kind: 'model_call', content: { text: 'ok' }, tokens: null, duration_ms: null }],
      answer_id: newId('dlv'),
    };
    return { turn, ending };
  };

  it('refuses the lease to a second claim while the first one has it', async () => {
    const { turn } = await held();
    expect(await turns.claim(turn, 'engine_other')).toEqual({ state: 'leased' });
  });

  it('commits the end, the steps and the reply together, or none of them', async () => {
    const { turn, ending } = await held();
    const broken = { ...ending, new_steps: [...ending.new_steps, ...ending.new_steps] };
    const { receipt_id, organization_id, project_id, app_id, turn_id } = turn;
    const subject = { receipt_id, organization_id, project_id, app_id, subject_id: turn_id };
    const endEntries = [{ ...subject, stage: 'turn', outcome: 'succeeded' } as const];
    await expect(endings.end(broken, endEntries)).rejects.toThrow(/step_pkey/);
    const entries = `SELECT count(*)::int AS n FROM ${everyEntry} e WHERE receipt_id = $1`;
    const stored = 'SELECT state, answer_id FROM engine.turn WHERE id = $1';
    expect(await one(stored, [turn_id])).toEqual({ state: 'running', answer_id: null });
    expect(await one(entries, [receipt_id])).toEqual({ n: 0 });
    expect(await endings.end(ending, endEntries)).toMatchObject({ ended: true });
    expect(await one(stored, [turn_id])).toEqual({ state: 'succeeded', answer_id: ending.answer_id });
    expect(await one(entries, [receipt_id])).toEqual({ n: 1 });
    expect(await endings.end(ending, endEntries)).toMatchObject({ ended: false });
    expect(await one(entries, [receipt_id])).toEqual({ n: 1 });
  });

  it('stores the text of a reply once, and shows it in the step that wrote it', async () => {
    const { turn, ending } = await held();
    const reply_text = 'Your order left our warehouse this morning, by express.';
    const step = { ...ending.new_steps[0]!, content: { text: reply_text, model: 'm' } };
    const other = { ...step, seq: 2, content: { text: 'Something else.', model: 'm' } };
    expect(await endings.end({ ...ending, reply_text, new_steps: [step, other] }, [])).toMatchObject({ ended: true });
    const { content } = await one('SELECT content::text FROM engine.step WHERE turn_id = $1 AND seq = 1', [
      turn.turn_id,
    ]);
    expect(content).not.toContain('warehouse');
    expect(await steps.of(turn.turn_id)).toMatchObject([
      { turn_id: turn.turn_id, seq: 1, kind: 'model_call', tokens: null, content: step.content },
      { seq: 2, content: other.content },
    ]);
    expect(Object.keys((await steps.of(turn.turn_id))[0]?.content ?? {}).sort()).toEqual(['model', 'text']);
  });

  it('lets a refused ending block no other', async () => {
    const [bad, good] = await Promise.all([held(), held()]);
    const broken = { ...bad.ending, new_steps: [...bad.ending.new_steps, ...bad.ending.new_steps] };
    const [first, second] = await Promise.allSettled([endings.end(broken, []), endings.end(good.ending, [])]);
    expect(first.status).toBe('rejected');
    expect(second).toMatchObject({ status: 'fulfilled', value: { ended: true } });
  });

  it('lets a refused claim block no other, and still ends its turn', async () => {
    // Out of range for Postgres' integer.
    const run = { id: newId('run'), workflow_id: 3_000_000_000, trigger_id: null, replay: false, replay_of: null };
    const bad = turnOf({ run });
    const good = turnOf();
    const [first, second] = await Promise.allSettled([turns.claim(bad, 'engine_1'), turns.claim(good, 'engine_1')]);
    expect(first.status).toBe('rejected');
    expect(second).toMatchObject({ status: 'fulfilled', value: { state: 'claimed' } });
    await jobsOf.fail(bad, 'attempts_exhausted', 'too often');
    const entry = `SELECT outcome, reason FROM ${everyEntry} e WHERE subject_id = $1`;
    expect(await one(entry, [bad.turn_id])).toEqual({ outcome: 'dead', reason: 'attempts_exhausted' });
  });

  it('lets a claim that lost its lease write nothing', async () => {
    const { turn, ending } = await held();
    await world.pool.query("UPDATE engine.turn SET lease_until = now() - interval '1 ms' WHERE id = $1", [
      turn.turn_id,
    ]);
    expect(await turns.claim(turn, 'engine_heir')).toMatchObject({ state: 'claimed', tried: { claim: 2 } });
    expect(await endings.end(ending, [])).toMatchObject({ ended: false });
    expect(await steps.append(ending, ending.new_steps, { agentId: 'agt_1', agentVersion: 1, contactId: null })).toBe(
      false,
    );
    expect(await steps.of(turn.turn_id)).toEqual([]);
  });

  it('stores text that Postgres refuses, with replacements for what it refuses', async () => {
    const turn = turnOf();
    turn.input!.message.message = 'nul \u0000 and lone \ud800, and \\u0000 as text';
    await world.jobs.enqueue(turnRun, turn);
    // A reply has no control characters; what the model wrote is stored as far as Postgres can store it.
    expect((await ended(turn.turn_id)).reply_text).toContain('nul \ufffd and lone \ufffd, and \\u0000 as text');
    const [step] = await steps.of(turn.turn_id);
    expect(step?.content['text']).toContain('nul \ufffd and lone \ufffd, and \\u0000 as text');
  });

  it('gives the reply of a turn whose rows were lost the id that it had', async () => {
    const turn = turnOf();
    const answerOf = async () => {
      await world.jobs.enqueue(turnRun, turn);
      return (await ended(turn.turn_id)).answer_id;
    };
    const first = await answerOf();
    expect(first).toMatch(new RegExp(`^dlv_${idDigits('dlv')}$`));
    await world.pool.query('DELETE FROM engine.step WHERE turn_id = $1', [turn.turn_id]);
    await world.pool.query('DELETE FROM engine.turn WHERE id = $1', [turn.turn_id]);
    expect(await answerOf()).toBe(first);
  });

  it('fetches from the router an input that the job left out', async () => {
    const { input: _input, ...payload } = large;
    await world.jobs.enqueue(turnRun, payload);
    expect(await ended(large.turn_id)).toMatchObject({
      state: 'succeeded',
      input: { message: large.input!.message },
    });
  });

  it('offers its reply again when its job comes again', async () => {
    await world.loseJobs();
    await world.jobs.enqueue(turnRun, large);
    await until('it is offered again', async () =>
      (await world.waiting(deliverySend)).some((job) => job.turn_id === large.turn_id),
    );
    expect(await one('SELECT claim FROM engine.turn WHERE id = $1', [large.turn_id])).toEqual({ claim: 1 });
  });

  it('fails for good when the agent is gone', async () => {
    const turn = turnOf({ agent_id: newId('agt') });
    await world.jobs.enqueue(turnRun, turn);
    expect(await ended(turn.turn_id)).toMatchObject({ state: 'failed', reason: 'agent_not_found' });
  });

  it('offers a reply without its content when it is large', async () => {
    const turn = turnOf();
    turn.input!.message.message = 'x'.repeat(400);
    turn.input!.reply!.reply_context = 'y'.repeat(400);
    await world.jobs.enqueue(turnRun, turn);
    const job = await until('it is offered', async () =>
      (await world.waiting(deliverySend)).find((each) => each.turn_id === turn.turn_id),
    );
    expect(job.content).toBeUndefined();
  });
});
