import { type Scope, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import type { RunDetailView, RunRow } from '#libs/views';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import { type PathWorld, pathWorld } from './path-world.js';

describe('runs', () => {
  let world: PathWorld;

  beforeAll(async () => {
    world = await pathWorld();
  });
  afterAll(() => world.close());

  /** A message that starts a run through one trigger. @returns its receipt */
  const receive = async (): Promise<string> => {
    const app_id = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
    const workflow = await world.call<{ id: number }>('POST', 'workflows', { name: 'w', instructions: 'first' });
    await world.call('POST', 'triggers', { app_id, workflow_id: workflow.body.id });
    return world.receive(app_id, {});
  };
  const runsOf = async (receiptId: string): Promise<RunRow[]> => {
    const { body } = await world.call<{ runs: RunRow[] }>('GET', `events/${receiptId}`);
    return body.runs;
  };
  const first = async (receiptId: string): Promise<SessionTurnView> => {
    const [turn] = await world.turnsOf(receiptId);
    if (!turn) throw new Error('the receipt has no turn');
    return turn;
  };
  const shown = async (turn: SessionTurnView) => (await world.call<RunDetailView>('GET', `runs/${turn.run_id}`)).body;
  const set = (turn: SessionTurnView, sql: string) =>
    world.query(`UPDATE engine.turn SET ${sql} WHERE id = $1`, [turn.id]);

  it('have the state of their turns', async () => {
    const turn = await first(await receive());
    expect(await shown(turn)).toMatchObject({ state: 'running', replay: false, rehearsal: false });
    for (const [sql, state] of [
      ["state = 'waiting_approval'", 'waiting_approval'],
      ["state = 'held', held_for = 'workflow'", 'suspended'],
      ["state = 'queued'", 'queued'],
    ] as const) {
      await set(turn, sql);
      expect((await shown(turn)).state).toBe(state);
    }
    await world.finish(turn.id, { state: 'failed', error: 'turn_timeout' });
    expect(await shown(turn)).toMatchObject({ state: 'timed_out', error: 'turn_timeout', reply: null });
  });

  it('say what they wait for and until when, and no longer once they continue', async () => {
    const turn = await first(await receive());
    await set(turn, "state = 'queued', blocked_since = now(), reason = 'model_unavailable'");
    expect(await shown(turn)).toMatchObject({
      state: 'waiting',
      reason: 'model_unavailable',
      error: null,
      waiting_until: expect.any(String),
    });
    await world.finish(turn.id, { state: 'succeeded', reason: 'no_address' });
    expect(await shown(turn)).toMatchObject({
      state: 'succeeded',
      reply: 'none',
      reason: 'no_address',
      waiting_until: null,
      incomplete: null,
      turns: [{ id: turn.id, url: `/api/v1/turns/${turn.id}`, reply: 'none', reason_text: expect.any(String) }],
    });
  });

  it('settle the dead letter of their turn when they are retried', async () => {
    const turn = await first(await receive());
    await world.finish(turn.id, { state: 'failed', error: 'x' });
    await world.call('POST', `runs/${turn.run_id}/retry`);
    expect(await world.row('SELECT state, outcome FROM journal.dead_letter WHERE subject_id = $1', [turn.id])).toEqual({
      state: 'redriven',
      outcome: 'retried',
    });
    expect(await shown(turn)).toMatchObject({ state: 'queued', error: null, turns: [{ id: turn.id }, {}] });
  });

  it('are cancelled at once, and start nothing more', async () => {
    const turn = await first(await receive());
    const cancel = () => world.call<RunRow>('POST', `runs/${turn.run_id}/cancel`);
    expect(await cancel()).toMatchObject({ status: 202, body: { state: 'cancelled', error: 'cancelled' } });
    expect((await cancel()).status).toBe(409);
    await world.take(turn.receipt_id);
    expect((await world.turn(turn.id)).state).toBe('cancelled');
  });

  it('are repeated by a replay, once per key', async () => {
    const receipt = await receive();
    const replay = (key: string, body: object = {}) =>
      world.call<{ run_ids: string[]; code?: string }>('POST', `events/${receipt}/replay`, body, {
        headers: {
          'idempotency-key': key,
        },
      });
    const answers = await Promise.all([replay('k1'), replay('k1'), replay('k1')]);
    await world.take(receipt);
    const runs = await runsOf(receipt);
    expect(runs.map(({ replay: isReplay }) => isReplay)).toEqual([false, true]);
    for (const { status, body } of answers) expect([status, body.run_ids]).toEqual([202, [runs[1]?.id]]);
    expect(await replay('k1', { deliver: true })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    await replay('k2');
    await world.take(receipt);
    expect(await runsOf(receipt)).toHaveLength(3);
  });

  it('are created for a workflow that a replay names, and for nothing else', async () => {
    const receipt = await receive();
    const other = await world.call<{ id: number }>('POST', 'workflows', { name: 'other', instructions: 'x' });
    const replay = (body: object) => world.call<{ run_ids: string[] }>('POST', `events/${receipt}/replay`, body);
    const { status, body } = await replay({ workflow_id: other.body.id });
    await world.take(receipt);
    const made = (await runsOf(receipt)).filter(({ replay: isReplay }) => isReplay);
    expect({ status, runs: made.map(({ id }) => id) }).toEqual({ status: 202, runs: body.run_ids });
    expect(made).toMatchObject([{ workflow_id: other.body.id, trigger_id: null, rehearsal: true }]);

    await world.call('PATCH', `workflows/${other.body.id}`, { status: 'off' });
    expect(await replay({ workflow_id: other.body.id })).toMatchObject({
      status: 409,
      body: { code: 'workflow_gone' },
    });
    expect(await replay({ workflow_id: 2_000_000 })).toMatchObject({
      status: 422,
      body: { code: 'workflow_not_found', errors: [{ field: 'workflow_id' }] },
    });
    expect(await replay({ workflow_id: other.body.id, agent_id: 'agt_1' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_fields' },
    });
  });

  it('are not created for an agent that a replay names: it answers in a session of its own', async () => {
    const receipt = await receive();
    const agent = await world.call<{ id: string }>('POST', 'agents', { name: 'Tried', instructions: 'x' });
    const replay = (agent_id: string, headers: Record<string, string> = {}) =>
      world.call<{ run_ids: string[]; turn_ids: string[] }>(
        'POST',
        `events/${receipt}/replay`,
        { agent_id },
        { headers },
      );
    const key = { 'idempotency-key': 'tried' };
    const { status, body } = await replay(agent.body.id, key);
    expect({ status, runs: body.run_ids }).toEqual({ status: 202, runs: [] });
    await world.take(receipt);
    const [, tried, ...more] = await world.turnsOf(receipt);
    expect(more).toEqual([]);
    expect(tried).toMatchObject({ id: body.turn_ids[0], run_id: null, input: { rehearsal: true, reply: null } });
    const [session] = await world.query<{ key: string; agent_id: string }>(
      'SELECT s.key, t.agent_id FROM engine.turn t JOIN engine.session s ON s.id = t.session_id WHERE t.id = $1',
      [tried?.id],
    );
    expect(session).toMatchObject({ agent_id: agent.body.id, key: expect.stringContaining(agent.body.id) });
    expect((await replay(agent.body.id, key)).body).toEqual(body);
    expect(await replay('agt_nobody')).toMatchObject({ status: 422, body: { code: 'agent_not_found' } });
  });

  it('are created by whoever may replay, and for a target by whoever may change rules', async () => {
    const receipt = await receive();
    const { body: other } = await world.call<{ id: number }>('POST', 'workflows', {
      name: 'other',
      instructions: 'x',
    });
    const asOperator = async (body: object): Promise<[number, string | undefined]> => {
      const scopes: Scope[] = ['events:write', 'channels:write'];
      const token = await new ServiceTokens(testServiceKey, 'portal').mint('router', { ...caller, scopes });
      const answer = await fetch(`${await world.router.getUrl()}/api/v1/events/${receipt}/replay`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    expect(await asOperator({})).toEqual([202, undefined]);
    expect(await asOperator({ workflow_id: other.id })).toEqual([403, 'scope_missing']);
    expect(await asOperator({ agent_id: 'agt_1' })).toEqual([403, 'scope_missing']);
  });

  it('are created once per key by a replay of a run, and retried once', async () => {
    const receipt = await receive();
    const [run] = await runsOf(receipt);
    const ask = (verb: string, key: string, body?: object) =>
      world.call<RunRow & { code?: string }>('POST', `runs/${run?.id}/${verb}`, body, {
        headers: {
          'idempotency-key': key,
        },
      });
    const answers = await Promise.all([ask('replay', 'r1', {}), ask('replay', 'r1', {})]);
    const [, made, ...others] = await runsOf(receipt);
    expect(others).toEqual([]);
    expect(answers.map(({ body }) => body.id)).toEqual([made?.id, made?.id]);
    expect(await ask('replay', 'r1', { deliver: true })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await ask('retry', 'r1')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });

    expect(await ask('retry', 't1')).toMatchObject({ status: 409, body: { code: 'run_not_failed' } });
    const fail = async () => {
      const turn = (await world.turnsOf(receipt)).find(({ run_id, state }) => run_id === run?.id && state === 'open');
      await world.finish(turn?.id ?? '', { state: 'failed', error: 'model_down' });
    };
    await fail();
    // A key whose request was refused may be used again.
    expect(await ask('retry', 't1')).toMatchObject({ status: 202, body: { state: 'queued' } });
    await fail();
    expect(await ask('retry', 't1')).toMatchObject({ status: 202, body: { state: 'failed' } });
    expect(await ask('retry', 't2')).toMatchObject({ status: 202, body: { state: 'queued' } });
  });
});
