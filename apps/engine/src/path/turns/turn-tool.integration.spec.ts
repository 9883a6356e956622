import { newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type RecordingServer } from '../../testing/recording-server.js';
import { type FakeModel } from '../../testing/fake-model.js';

describe('a turn with tools', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  const agentId = newId('agt');

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, target } = world);
    await world.pool.query(
      `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, tools, is_chief_of_staff,
         allowed_hosts)
       VALUES ($1, $2, $3, 'Caller', 'Call.', '{http_request}', false, $4)`,
      [agentId, home.organizationId, home.projectId, [new URL(target.url).host]],
    );
    await world.start({
      MODEL_TIMEOUT_MS: 6_000,
      SWEEP_AFTER_MS: 1_000,
    });
  });
  beforeEach(() => {
    target.calls.length = 0;
    target.answer = () => ({ made: true });
  });
  afterAll(() => world.close());

  const turnRow = async (id: string) =>
    (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];
  const results = async (id: string) =>
    (
      await world.pool.query(
        "SELECT content FROM engine.step WHERE turn_id = $1 AND kind = 'tool_result' ORDER BY seq",
        [id],
      )
    ).rows.map((row) => row.content.result);
  const run = async (turn: TurnRunPayload) => {
    await world.jobs.enqueue(turnRun, turn);
    return until(`turn ${turn.turn_id} ends`, async () => {
      const row = await turnRow(turn.turn_id);
      return ['succeeded', 'failed'].includes(row?.state) && row;
    });
  };
  const post = (url = `${target.url}/orders`) => ({
    name: 'http_request',
    arguments: JSON.stringify({ method: 'POST', url, body: { item: 'tea' } }),
  });

  it('makes the calls that the model requests and gives it the results', async () => {
    model.script([post()], 'Ordered.');
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'succeeded', reply_text: 'Ordered.', tokens: 30 });
    expect(target.calls).toEqual([{ method: 'POST', url: '/orders', body: '{"item":"tea"}' }]);
    const [result] = await results(turn.turn_id);
    expect(result).toMatchObject({ status: 201, body: '{"made":true}', truncated: false });
    expect(result.headers).not.toHaveProperty('set-cookie');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_0' });
  });

  it('answers invalid calls with an error instead of making them', async () => {
    const calls = [
      { name: 'http_request', arguments: '{"method":"PATCH","url":"http://127.0.0.1/"}' },
      { name: 'format_disk', arguments: '{}' },
      { name: 'http_request', arguments: '{"method": "GET", ' },
    ];
    model.script(calls, 'Sorry.');
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'succeeded', reply_text: 'Sorry.' });
    expect((await results(turn.turn_id)).map((result) => result.error.code)).toEqual([
      'invalid_arguments',
      'unknown_tool',
      'invalid_arguments',
    ]);
    expect(target.calls).toEqual([]);
  });

  it('makes no writing call for an unverified message', async () => {
    const get = { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${target.url}/read` }) };
    model.script([post(), get], 'Read only.');
    const turn = turnOf({ agent_id: agentId }, { verified: false });
    await run(turn);
    expect((await results(turn.turn_id))[0].error.code).toBe('not_allowed');
    expect(target.calls.map((call) => call.method)).toEqual(['GET']);
  });

  it('stops a model that repeats itself, with a last answer without tools', async () => {
    model.script([post()], [post()], [post()], 'Enough.');
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'succeeded', reply_text: 'Enough.' });
    expect(target.calls).toHaveLength(1);
    expect((await results(turn.turn_id)).slice(1).map((result) => result.error.code)).toEqual([
      'untrusted_content',
      'untrusted_content',
    ]);
  });

  it('lets a model poll an address whose answer changes, and stops it when the answer stays the same', async () => {
    const get = { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${target.url}/state` }) };
    let polls = 0;
    target.answer = () => ({ n: (polls += 1) });
    model.script([get], [get], [get], [get], [get], 'Polled.');
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'succeeded', reply_text: 'Polled.' });
    expect((await results(turn.turn_id)).map((result) => JSON.parse(result.body).n)).toEqual([1, 2, 3, 4, 5]);
    target.answer = () => ({ n: 0 });
    target.calls.length = 0;
    model.script([get], [get], [get], [get], [get], 'Enough.');
    const loop = turnOf({ agent_id: agentId });
    expect(await run(loop)).toMatchObject({ state: 'succeeded', reply_text: 'Enough.' });
    expect(target.calls).toHaveLength(3);
    const [, , , fourth, fifth] = await results(loop.turn_id);
    expect([fourth.error.code, fifth.error.code]).toEqual(['repeated_call', 'repeated_call']);
    expect(fourth.error.message).toContain('answered alike 3 times');
    expect(model.requests.map((request) => request.tools?.length ?? 0)).toEqual([2, 2, 2, 2, 2, 0]);
  });

  it('does not repeat a POST that a killed process may have made', async () => {
    const turn = turnOf({ agent_id: agentId });
    const call = { id: 'call_0', name: 'http_request', arguments: JSON.parse(post().arguments) };
    model.script('I do not know whether it was ordered.');
    await leftBehind(turn, call);
    expect(await run(turn)).toMatchObject({ state: 'succeeded', claim: 2 });
    expect(target.calls).toEqual([]);
    expect((await results(turn.turn_id))[0].error.code).toBe('outcome_unknown');
  });

  it('repeats a GET that a killed process began, found by the sweeper', async () => {
    const turn = turnOf({ agent_id: agentId });
    model.script('Read.');
    await leftBehind(turn, {
      id: 'call_0',
      name: 'http_request',
      arguments: { method: 'GET', url: `${target.url}/again` },
    });
    await until('the sweeper had it run', async () => (await turnRow(turn.turn_id)).state === 'succeeded');
    expect(target.calls).toEqual([{ method: 'GET', url: '/again', body: '' }]);
  });

  it('retries after a model that hangs, answers nonsense or is overloaded', async () => {
    model.script(
      () => undefined,
      (response) => response.setHeader('content-type', 'application/json').end('{"choices": 7'),
      (response) => response.writeHead(503).end('{}'),
      'At last.',
    );
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'succeeded', reply_text: 'At last.', claim: 4 });
    const entries = await until('the journal has the waits and the retry', async () => {
      const { rows } = await world.pool.query(
        `SELECT reason FROM ${everyEntry} e WHERE subject_id = $1 AND outcome IN ('retrying', 'held') ORDER BY at`,
        [turn.turn_id],
      );
      return rows.length === 3 && rows;
    });
    expect(entries.map((row) => row.reason)).toEqual(['model_timeout', 'model_malformed', 'model_unavailable']);
  });

  it('fails at once when the model rejects the request', async () => {
    model.script((response) => response.writeHead(400).end('{"error":{"message":"too long"}}'));
    const turn = turnOf({ agent_id: agentId });
    expect(await run(turn)).toMatchObject({ state: 'failed', reason: 'model_rejected' });
  });

  /** A turn whose process was killed between a call's intent and its result. A sweep takes it as soon as it is there. */
  async function leftBehind(
    turn: TurnRunPayload,
    call: { id: string; name: string; arguments: unknown },
  ): Promise<void> {
    await world.pool.query(
      `WITH killed AS (
         INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, agent_id, epoch, input, state, claim,
           owner, lease_until)
         VALUES ($1, $2, $3, $7, $4, $5, 1, $6, 'running', 1, 'engine_killed', now() - interval '2 seconds') RETURNING id)
       INSERT INTO engine.step (turn_id, seq, kind, content)
       SELECT killed.id, step.* FROM killed, (VALUES (1, 'model_call', $8::jsonb), (2, 'tool_call', $9)) AS step`,
      [
        turn.turn_id,
        turn.organization_id,
        turn.project_id,
        turn.receipt_id,
        turn.agent_id,
        JSON.stringify(turn.input),
        turn.app_id,
        JSON.stringify({ text: '', tool_calls: [call], model: 'fake', finish_reason: 'tool-calls' }),
        JSON.stringify({ call_id: call.id, name: call.name, arguments: call.arguments }),
      ],
    );
  }
});
