import { turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type RecordingServer } from '../../testing/recording-server.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('a call that needs approval', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  let agent: string;
  const settings = { SWEEP_AFTER_MS: 1_000 };

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['approvals:decide', 'agents:write'] });
    ({ model, target } = world);
    await world.start(settings);
    agent = await agentOf(world, { tools: ['http_request'], may_do: 'read', approvers: ['key:test'] });
  });
  beforeEach(() => {
    target.calls.length = 0;
  });
  afterAll(() => world.close());

  const call = (method: 'POST' | 'GET', path = '/orders') => ({
    name: 'http_request',
    arguments: JSON.stringify({ method, url: `${target.url}${path}` }),
  });
  const waiting = (...answers: Parameters<FakeModel['script']>) => waitingOf(agent, ...answers);
  const waitingOf = async (agentId: string, ...answers: Parameters<FakeModel['script']>) => {
    model.script(...answers);
    const turn = turnOf({ agent_id: agentId });
    await world.jobs.enqueue(turnRun, turn);
    await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
    const { rows } = await world.pool.query('SELECT * FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
    return { turn, approval: rows[0] };
  };

  it('waits without a process, survives a restart, and is made once after approval', async () => {
    const { turn, approval } = await waiting([call('POST'), call('GET', '/read')], 'Ordered.');
    // Calls that need no approval are made before the wait.
    expect(target.calls.map(({ method }) => method)).toEqual(['GET']);
    expect(await turnsOf(world).row(turn.turn_id)).toMatchObject({ owner: null, lease_until: null, tries: 0 });
    await world.restart(settings);
    await world.jobs.enqueue(turnRun, turn);
    const answer = await world.call('POST', `approvals/${approval.id}/approve`, {});
    expect(answer.body).toMatchObject({ state: 'approved', decided_by: 'key:test', tool: 'http_request' });
    const ended = await turnsOf(world).reaches(turn.turn_id, 'succeeded', 'failed');
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Ordered.' });
    expect(target.calls.map(({ method }) => method)).toEqual(['GET', 'POST']);
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(['call_0', 'call_1']);
    await until('the journal has it', async () => {
      const { rows } = await world.pool.query(`SELECT reason FROM ${everyEntry} e WHERE subject_id = $1`, [
        turn.turn_id,
      ]);
      const reasons = rows.map((row) => row.reason);
      return ['waiting_approval', 'approval_approved', 'tool_called'].every((reason) => reasons.includes(reason));
    });
    expect((await world.call('POST', `approvals/${approval.id}/refuse`, {})).status).toBe(409);
  });

  it('is not made when it is rejected, and the model hears of it', async () => {
    const { turn, approval } = await waiting([call('POST')], 'As you wish.');
    expect((await world.call('POST', `approvals/${approval.id}/refuse`, {})).status).toBe(200);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect((await turnsOf(world).results(turn.turn_id))[0].error.code).toBe('approval_refused');
    expect(target.calls).toEqual([]);
  });

  it('is not made when nobody decides in time', async () => {
    const { turn, approval } = await waiting([call('POST')], 'Nobody came.');
    await world.pool.query("UPDATE engine.approval SET expires_at = now() - interval '1 second' WHERE id = $1", [
      approval.id,
    ]);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect((await turnsOf(world).results(turn.turn_id))[0].error.code).toBe('approval_expired');
    expect((await world.call('POST', `approvals/${approval.id}/approve`, {})).status).toBe(409);
    expect(target.calls).toEqual([]);
  });

  it('is decided by nobody whom the agent does not name', async () => {
    const { turn, approval } = await waiting([call('POST')]);
    const stranger = await world.call('POST', `approvals/${approval.id}/approve`, {}, { subject: 'key:other' });
    expect(stranger.body.code).toBe('not_an_approver');
    expect(await turnsOf(world).row(turn.turn_id)).toMatchObject({ state: 'waiting_approval' });
  });

  it('waits until every approval of its step is decided', async () => {
    const { turn } = await waiting([call('POST', '/a'), call('POST', '/b')], 'Both.');
    const { rows } = await world.pool.query('SELECT id FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
    const answers = await Promise.all(rows.map(({ id }) => world.call('POST', `approvals/${id}/approve`, {})));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect(target.calls.map(({ url }) => url).sort()).toEqual(['/a', '/b']);
  });

  it('is decided by a message of an admitted contact whom the agent names, without a model', async () => {
    const bossy = await agentOf(world, {
      tools: ['http_request'],
      may_do: 'read',
      approvers: ['contact:con_boss'],
    });
    const { turn, approval } = await waitingOf(bossy, [call('POST')], 'Ordered for the boss.');
    const says = async (contact_id: string, trust: 'known' | 'unknown') => {
      const message = { ...turnOf().input!.message, message: `approve ${approval.id}` };
      const payload = turnOf({ agent_id: bossy }, { contact_id, trust, message });
      return (await turnsOf(world).run(payload)).reply_text;
    };
    const asked = model.requests.length;
    expect(await says('con_other', 'known')).toContain('not one of the approvers');
    expect(model.requests.length).toBe(asked);
    // The next answer of the script goes to the untrusted sender's turn, which is an ordinary turn.
    expect(await says('con_boss', 'unknown')).toBe('Ordered for the boss.');
    expect(await turnsOf(world).row(turn.turn_id)).toMatchObject({ state: 'waiting_approval' });
    expect(await says('con_boss', 'known')).toBe('The call of http_request was approved.');
    await turnsOf(world).reaches(turn.turn_id, 'succeeded');
    expect(target.calls.map(({ method }) => method)).toEqual(['POST']);
  });

  it('is withdrawn when its turn is cancelled', async () => {
    const { turn, approval } = await waiting([call('POST')]);
    expect((await world.call('POST', `turns/${turn.turn_id}/cancel`, {})).body).toMatchObject({
      state: 'failed',
      error: 'cancelled',
    });
    expect((await world.call('GET', `approvals/${approval.id}`)).body).toMatchObject({ state: 'cancelled' });
    expect((await world.call('POST', `approvals/${approval.id}/approve`, {})).status).toBe(409);
    expect(target.calls).toEqual([]);
  });
});
