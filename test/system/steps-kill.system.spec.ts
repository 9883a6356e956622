import { columnsOf, newId, turnRun, type TurnRunPayload, type WorkflowStep } from '#libs/contracts';
import type { JobClient } from '#libs/queue';
import { until } from '#libs/testing';
import type pg from 'pg';
import type { FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { recordingServer, type RecordingServer } from '../../apps/engine/src/testing/recording-server.js';
import { LoneEngines, oftenKilled } from './lone-engines.js';

/** More by hand. */
const mostKills = Number(process.env['STEP_KILLS'] ?? 8);
const runs = Number(process.env['STEP_RUNS'] ?? 12);
const owner = { organizationId: newId('org'), projectId: newId('prj') };
const agentId = newId('agt');
let engines: LoneEngines;
let pool: pg.Pool;
let jobs: JobClient;
let model: FakeModel;
let target: RecordingServer;

beforeAll(async () => {
  [engines, target] = await Promise.all([LoneEngines.open(), recordingServer()]);
  ({ pool, jobs, model } = engines);
});
afterAll(() => Promise.all([engines.close(), target.close()]));

function turnOfSteps(): TurnRunPayload {
  const turn_id = newId('trn');
  const call = (name: string, more: Partial<WorkflowStep> = {}): WorkflowStep => ({
    name,
    kind: 'tool',
    tool: 'http_request',
    arguments: { method: 'POST', url: `${target.url}/${turn_id}/${name}`, body: { text: { cel: 'steps.think.text' } } },
    ...more,
  });
  const steps: WorkflowStep[] = [
    { name: 'think', kind: 'agent', instructions: 'Think.' },
    call('first'),
    { name: 'made', kind: 'branch', where: 'steps.first.result.status == 201' },
    call('second', { only_if: { step: 'made', is: true } }),
    call('never', { only_if: { step: 'made', is: false } }),
    { name: 'tell', kind: 'agent', instructions: 'Tell.' },
  ];
  return {
    turn_id,
    ...columnsOf(owner),
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: { id: newId('run'), workflow_id: 1, trigger_id: null, replay: false, replay_of: null },
    session: null,
    agent_id: agentId,
    input: {
      message: { event_type: 'message', sender: 'ada', message: 'hello', is_bot: false, metadata: {} },
      verified: true,
      trust: 'known',
      instructions: null,
      reply: null,
      steps,
    },
  };
}

it('runs with steps whose engine is killed again and again all end, and no call is made twice', async () => {
  await engines.start({ ...oftenKilled, MODEL_STREAMING: '0' });
  await pool.query(
    `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, tools, is_chief_of_staff, allowed_hosts)
     VALUES ($1, $2, $3, 'Caller', 'Call.', '{http_request}', false, $4)`,
    [agentId, owner.organizationId, owner.projectId, [new URL(target.url).host]],
  );
  const turns = Array.from({ length: runs }, turnOfSteps);
  const open = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::integer AS ended FROM engine.turn WHERE ended_at IS NOT NULL');
    return runs - Number(rows[0].ended);
  };
  for (const turn of turns) await jobs.enqueue(turnRun, turn);
  let kills = 0;
  for (let left = runs; left > 0 && kills < mostKills; left = await open()) {
    const before = target.calls.length + model.requests.length;
    const more = (): number => target.calls.length + model.requests.length - before;
    // In the middle of it: each time after other calls, and so at other points of the runs.
    const enough = 1 + ((kills * 3) % 5);
    await until('they go on', async () => more() >= enough || (await open()) === 0);
    await engines.last?.kill();
    await engines.start({ ...oftenKilled, MODEL_STREAMING: '0' });
    kills += 1;
  }
  await until('all have ended', async () => (await open()) === 0);

  const made = target.calls.map(({ url }) => url);
  expect(made).toHaveLength(new Set(made).size);
  expect(made.filter((url) => url.endsWith('/never'))).toEqual([]);
  const { rows: ended } = await pool.query<{ id: string; state: string; reason: string | null }>(
    'SELECT id, state, reason FROM engine.turn',
  );
  const { rows: steps } = await pool.query<{ turn_id: string; name: string; state: string; reason: string | null }>(
    'SELECT turn_id, name, state, reason FROM engine.workflow_step ORDER BY turn_id, position',
  );
  for (const { id, state, reason } of ended) {
    const own = steps.filter(({ turn_id }) => turn_id === id);
    const calls = ['first', 'second'].filter((name) => made.includes(`/${id}/${name}`));
    if (state === 'succeeded') {
      expect(own.map((step) => step.state)).toEqual(['done', 'done', 'done', 'done', 'skipped', 'done']);
      expect(calls).toEqual(['first', 'second']);
    } else {
      // The process died between a call and its answer: nobody knows, and nobody calls again.
      expect([state, reason]).toEqual(['failed', 'step_failed']);
      expect(own.filter((step) => step.state === 'dead').map((step) => step.reason)).toEqual(['outcome_unknown']);
    }
  }
  const unknown = ended.filter(({ state }) => state === 'failed').length;
  process.stdout.write(`${runs} runs, ${kills} kills, ${made.length} calls, ${unknown} with an unknown outcome\n`);
  expect(kills).toBe(mostKills);
});
