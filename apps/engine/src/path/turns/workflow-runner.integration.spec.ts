import { newId, turnRun, type TurnInput, type WorkflowStep } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import type { FakeModel } from '../../testing/fake-model.js';
import type { RecordingServer } from '../../testing/recording-server.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('a run whose workflow has steps', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['approvals:decide', 'workflows:read'] });
    ({ model, target } = world);
    const allowed_hosts = [new URL(target.url).host];
    agent = await agentOf(world, { tools: ['http_request'], approvers: ['key:test'], allowed_hosts });
    await world.start({ MODEL_STREAMING: 0, SWEEP_AFTER_MS: 1_000 });
  });
  beforeEach(() => {
    target.calls.length = 0;
    target.answer = () => ({ made: true, number: 7 });
    target.status = () => 201;
    model.script();
  });
  afterAll(() => world.close());

  const think = (name: string, more: Partial<WorkflowStep> = {}): WorkflowStep => ({
    name,
    kind: 'agent',
    instructions: `Do ${name}.`,
    ...more,
  });
  const post = (name: string, more: Partial<WorkflowStep> = {}, body: object = {}): WorkflowStep => ({
    name,
    kind: 'tool',
    tool: 'http_request',
    arguments: { method: 'POST', url: `${target.url}/${name}`, body },
    ...more,
  });
  const ask = (name: string): WorkflowStep => ({ name, kind: 'approval', text: 'Is it right?' });

  const turnOfSteps = (steps: WorkflowStep[], input: Partial<TurnInput> = {}) => {
    const run = { id: newId('run'), workflow_id: 1, trigger_id: null, replay: false, replay_of: null };
    return turnOf({ agent_id: agent, run }, { steps, ...input });
  };
  const shown = async (turn: { run?: { id: string } | null }) => (await world.call('GET', `runs/${turn.run?.id}`)).body;
  const run = async (steps: WorkflowStep[], input: Partial<TurnInput> = {}) => {
    const turn = turnOfSteps(steps, input);
    await turnsOf(world).run(turn);
    return { turn, run: await shown(turn) };
  };
  const waiting = async (steps: WorkflowStep[]) => {
    const turn = turnOfSteps(steps);
    await world.jobs.enqueue(turnRun, turn);
    await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
    const { rows } = await world.pool.query('SELECT * FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
    return { turn, approval: rows[0] };
  };

  it('does them in order, each with what those before it gave, and answers with the last agent', async () => {
    model.script('Seven pieces.', 'It is ordered.');
    const { turn, run: found } = await run([
      think('read'),
      post('order', {}, { asked: { cel: 'steps.read.text' }, ticket: { cel: 'metadata.ticket' } }),
      think('tell'),
    ]);
    expect(found).toMatchObject({ state: 'succeeded', reply_text: 'It is ordered.', reply: 'sent' });
    expect(found.steps).toMatchObject([
      { name: 'read', kind: 'agent', state: 'done', tries: 1, output: { text: 'Seven pieces.' } },
      { name: 'order', kind: 'tool', state: 'done', tries: 1, output: { result: { status: 201 } } },
      { name: 'tell', kind: 'agent', state: 'done', tries: 1, output: { text: 'It is ordered.' } },
    ]);
    expect(target.calls.map(({ body }) => JSON.parse(body) as object)).toEqual([{ asked: 'Seven pieces.', ticket: 7 }]);
    const [first, last] = model.requests;
    expect(JSON.stringify(first?.messages)).toContain('Do read.');
    expect(JSON.stringify(last?.messages)).toContain('Seven pieces.');
    expect(JSON.stringify(last?.messages)).toContain('number');
    // Each step is a job of its own, with all its tries; the last claim ends the run.
    expect(await turnsOf(world).row(turn.turn_id)).toMatchObject({ claim: 4, tries: 0 });
    await until('the timeline names each step', async () => {
      const { rows } = await world.pool.query(
        `SELECT detail ->> 'step' AS step FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'step_done'`,
        [turn.turn_id],
      );
      return ['read', 'order', 'tell'].every((name) => rows.some(({ step }) => step === name));
    });
  });

  it('follows one arm of a branch, and skips what depends on the other', async () => {
    const { run: found } = await run([
      { name: 'large', kind: 'branch', where: 'metadata.ticket > 100' },
      post('escalate', { only_if: { step: 'large', is: true } }),
      post('file', { only_if: { step: 'large', is: false } }),
    ]);
    expect(found).toMatchObject({ state: 'succeeded', reply: 'none', reply_text: '' });
    expect(found.steps).toMatchObject([
      { state: 'done', output: { is: false } },
      { state: 'skipped', tries: 0, reason: 'not_wanted' },
      { state: 'done' },
    ]);
    expect(target.calls.map(({ url }) => url)).toEqual(['/file']);
  });

  it('fails at a call that fails, says which and why, and is redriven from there', async () => {
    target.status = () => 201;
    const { turn, run: found } = await run([
      post('first'),
      { ...post('second'), arguments: { method: 'POST' } },
      post('third'),
    ]);
    expect(found).toMatchObject({ state: 'failed', error: 'step_failed' });
    expect(found.steps).toMatchObject([
      { state: 'done' },
      { state: 'dead', reason: 'invalid_arguments' },
      { state: 'not_done', tries: 0 },
    ]);
    const { rows } = await world.pool.query(
      `SELECT detail ->> 'error' AS error FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'dead'`,
      [turn.turn_id],
    );
    expect(rows[0]?.error).toMatch(/^the step second failed: invalid_arguments: /);
    await turnsOf(world).redrive(turn, 1);
    await until('it has failed again', async () => {
      const row = await turnsOf(world).row(turn.turn_id);
      return row.state === 'failed' && row.redrives === 1;
    });
    expect(target.calls.map(({ url }) => url)).toEqual(['/first']);
  });

  it('fails where an expression has no value', async () => {
    const { run: found } = await run([{ name: 'large', kind: 'branch', where: 'metadata.total > 100' }]);
    expect(found).toMatchObject({ state: 'failed', error: 'step_failed' });
    expect(found.steps).toMatchObject([{ state: 'dead', reason: 'expression_failed' }]);
  });

  it('tries an agent again whose model failed, and no step before it', async () => {
    model.script((response) => void response.writeHead(500).end('{}'), 'Done.');
    const { run: found } = await run([post('order'), think('tell')]);
    expect(found).toMatchObject({ state: 'succeeded', reply_text: 'Done.' });
    expect(found.steps?.map(({ tries }) => tries)).toEqual([1, 2]);
    expect(target.calls).toHaveLength(1);
  });

  it('asks a person, and goes on when they say yes', async () => {
    model.script('Seven pieces.');
    const { turn, approval } = await waiting([think('read'), ask('right'), post('order')]);
    expect(approval).toMatchObject({ tool: 'right', reason: 'workflow_step', approvers: ['key:test'] });
    expect(approval.arguments).toEqual({ question: 'Is it right?', so_far: { read: { text: 'Seven pieces.' } } });
    expect((await shown(turn)).steps).toMatchObject([{ state: 'done' }, { state: 'waiting' }, { state: 'queued' }]);
    expect(target.calls).toEqual([]);
    await world.call('POST', `approvals/${approval.id}/approve`, {});
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect((await shown(turn)).steps).toMatchObject([
      { state: 'done' },
      { state: 'done', output: { is: true, decision: 'approved' } },
      { state: 'done' },
    ]);
    expect(target.calls).toHaveLength(1);
  });

  it('ends when a person says no, unless a later step depends on the answer', async () => {
    const alone = await waiting([ask('right'), post('order')]);
    await world.call('POST', `approvals/${alone.approval.id}/refuse`, {});
    await turnsOf(world).reaches(alone.turn.turn_id, 'failed');
    expect((await shown(alone.turn)).steps).toMatchObject([
      { state: 'dead', reason: 'approval_refused' },
      { state: 'not_done' },
    ]);
    const depended = await waiting([
      ask('right'),
      post('order', { only_if: { step: 'right', is: true } }),
      post('cancel', { only_if: { step: 'right', is: false } }),
    ]);
    await world.call('POST', `approvals/${depended.approval.id}/refuse`, {});
    await turnsOf(world).reaches(depended.turn.turn_id, 'succeeded');
    expect(target.calls.map(({ url }) => url)).toEqual(['/cancel']);
  });

  it('asks again about a step that was refused, once its run is redriven', async () => {
    const { turn, approval } = await waiting([ask('right')]);
    await world.call('POST', `approvals/${approval.id}/refuse`, {});
    await turnsOf(world).reaches(turn.turn_id, 'failed');
    await turnsOf(world).redrive(turn, 1);
    await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
    const { rows } = await world.pool.query("SELECT id FROM engine.approval WHERE turn_id = $1 AND state = 'pending'", [
      turn.turn_id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('needs a person for a call with what an unknown sender wrote, as any turn does', async () => {
    const steps = [post('order', {}, { text: { cel: 'event.message' } })];
    const { run: found } = await run(steps, { trust: 'unknown' });
    expect(found.steps).toMatchObject([{ state: 'dead' }]);
    expect(target.calls).toEqual([]);
  });

  it('needs a person for a call with what an earlier call has read, and for no other', async () => {
    const { turn, approval } = await waiting([
      post('look'),
      post('note', {}, { ticket: { cel: 'metadata.ticket' } }),
      post('order', {}, { status: { cel: 'steps.look.result.status' } }),
    ]);
    expect(approval).toMatchObject({ tool: 'http_request', reason: 'untrusted_content' });
    expect(target.calls.map(({ url }) => url)).toEqual(['/look', '/note']);
    await world.call('POST', `approvals/${approval.id}/approve`, {});
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect(target.calls.map(({ body }) => body)).toEqual(['{}', '{"ticket":7}', '{"status":201}']);
    expect((await shown(turn)).steps).toMatchObject([{ tries: 1 }, { tries: 1 }, { tries: 2, state: 'done' }]);
  });

  it('rehearses what would change something', async () => {
    const { run: found } = await run([post('order')], { rehearsal: true, reply: null });
    expect(found.steps).toMatchObject([{ state: 'done' }]);
    expect(target.calls).toEqual([]);
  });

  it('gives the output that its schema describes by the last agent alone', async () => {
    model.script('Some words.', '{"total": 3}');
    const output_schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
    const { run: found } = await run([think('read'), think('count')], { output_schema });
    expect(found).toMatchObject({ state: 'succeeded', output: { total: 3 } });
    expect(found.steps).toMatchObject([{ output: { text: 'Some words.' } }, { output: { output: { total: 3 } } }]);
  });

  it('shows nothing but words for a run without steps', async () => {
    const turn = turnOfSteps([]);
    delete turn.input?.steps;
    await turnsOf(world).run(turn);
    expect((await shown(turn)).steps).toBeNull();
  });
});
