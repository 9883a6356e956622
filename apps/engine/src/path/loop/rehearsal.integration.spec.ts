import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { bearer, engineWorld, type EngineWorld, turnOf } from '../../testing/engine-world.js';
import type { RecordingServer } from '../../testing/recording-server.js';
import type { FakeModel } from '../../testing/fake-model.js';
import { type FakeServices, toolOf, toolsetOf } from '../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const python = { source: 'def rates(): ...', source_sha256: 'a'.repeat(64), function: 'rates' };

describe('a rehearsal: a replay without delivery', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let target: RecordingServer;
  let services: FakeServices;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:read'] });
    ({ model, target, services } = world);
    services.on('/internal/toolsets', () =>
      toolsetOf([
        toolOf({ name: 'find' }),
        toolOf({ name: 'pay', grade: 'write' }),
        toolOf({ name: 'wipe', grade: 'destructive' }),
        toolOf({ name: 'rates', source: 'python', grade: 'write', python }),
        toolOf({ name: 'peek', source: 'python', grade: 'read', python }),
      ]),
    );
    services.on('/internal/tool-calls', () => ({ ok: true, content: 'found', is_error: false, truncated: false }));
    agent = await agentOf(world, {
      tools: ['http_request', 'store_knowledge'],
      skills: ['skl_desk'],
      approvers: ['key:test'],
    });
    await world.start();
  });
  beforeEach(() => {
    services.requests.length = 0;
    target.calls.length = 0;
  });
  afterAll(() => world.close());

  const rehearse = async (calls: { name: string; arguments: string }[], input = {}) => {
    model.script(calls, 'Done.');
    const turn = turnOf(
      { agent_id: agent },
      { reply: null, reply_withheld: 'delivery_off', rehearsal: true, ...input },
    );
    const ended = await turnsOf(world).run(turn);
    return { turn, ended, results: await turnsOf(world).results(turn.turn_id) };
  };
  const view = async (turnId: string) => (await world.call('GET', `turns/${turnId}`)).body;

  it('makes the calls that read, and none that changes anything, of whatever kind', async () => {
    const post = { method: 'POST', url: `${target.url}/orders`, body: { item: 'tea' } };
    const { turn, ended, results } = await rehearse([
      { name: 'http_request', arguments: JSON.stringify(post) },
      { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${target.url}/orders` }) },
      { name: 'store_knowledge', arguments: '{"title":"Tea","text":"At four."}' },
      { name: 'desk__pay', arguments: '{}' },
      { name: 'desk__rates', arguments: '{}' },
      { name: 'desk__find', arguments: '{}' },
    ]);
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Done.' });
    const rehearsed = results.filter((result) => result.rehearsal);
    expect(rehearsed.map((result) => result.tool)).toEqual([
      'http_request',
      'store_knowledge',
      'desk__pay',
      'desk__rates',
    ]);
    expect(rehearsed[0]).toMatchObject({
      executed: false,
      arguments: post,
      note: expect.stringContaining('not executed: rehearsal'),
    });
    expect(target.calls.map(({ method }) => method)).toEqual(['GET']);
    const called = services.requests
      .filter(({ path }) => /run|tool-calls/.test(path))
      .map(({ body }) => body['tool_id']);
    expect(called).toEqual(['tol_find']);
    expect((await world.pool.query('SELECT 1 FROM engine.document')).rows).toEqual([]);
    const audit = (await turnsOf(world).audit(turn.turn_id)).map(({ tool, outcome }) => `${tool} ${outcome}`);
    expect(audit.toSorted()).toEqual([
      'desk__find ok',
      'desk__pay rehearsed',
      'desk__rates rehearsed',
      'http_request ok',
      'http_request rehearsed',
      'store_knowledge rehearsed',
    ]);
  });

  it('asks nobody for approval, and says that a person would be asked', async () => {
    const { turn, ended, results } = await rehearse([{ name: 'desk__wipe', arguments: '{}' }]);
    expect(ended.state).toBe('succeeded');
    expect(results[0]).toMatchObject({ rehearsal: true, needs_approval: true });
    const asked = await world.pool.query('SELECT 1 FROM engine.approval WHERE turn_id = $1', [turn.turn_id]);
    expect(asked.rows).toEqual([]);
  });

  it('leaves an approval undecided that the replayed message decided', async () => {
    const id = `apr_${'0'.repeat(32)}`;
    const message = { event_type: 'message', sender: 'ada', message: `approve ${id}`, is_bot: false };
    const { ended } = await rehearse([], { message, contact_id: 'con_ada' });
    expect(ended.reply_text).toBe(`This is a rehearsal: nothing was decided about ${id}.`);
  });

  it('lets a reading Python tool make GET requests, and no others', async () => {
    let answers: unknown[] = [];
    services.on('/internal/run', async ({ body }) => {
      const as = bearer(String(body['callback_token']));
      const callback = async (method: string) =>
        (await world.internal('POST', 'python-callbacks', { method, url: `${target.url}/rates` }, as)).body;
      const [posted, read] = [await callback('POST'), await callback('GET')];
      answers = [posted.error, read.status];
      return { ok: true, result: 1, stdout: '', truncated: false, duration_ms: 1 };
    });
    await rehearse([{ name: 'desk__peek', arguments: '{}' }]);
    expect(answers).toEqual([expect.objectContaining({ code: 'rehearsal' }), 201]);
    expect(target.calls.map(({ method }) => method)).toEqual(['GET']);
  });

  it('is marked in the turn, its steps and the timeline', async () => {
    const { turn } = await rehearse([{ name: 'desk__pay', arguments: '{}' }]);
    const shown = await view(turn.turn_id);
    expect(shown.rehearsal).toBe(true);
    expect(shown.steps.find(({ kind }) => kind === 'tool_result')?.content['rehearsal']).toBe(true);
    const entries = await until('the timeline has the turn', async () => {
      const sql = `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE subject_id = $1 ORDER BY at`;
      const { rows } = await world.pool.query(sql, [turn.turn_id]);
      // The turn's end commits with the turn; the rehearsed call is written shortly after.
      return rows.length > 1 && rows;
    });
    expect(entries).toEqual([
      { outcome: 'running', reason: 'tool_rehearsed', detail: { tool: 'desk__pay', rehearsal: true } },
      expect.objectContaining({ outcome: 'succeeded', detail: expect.objectContaining({ rehearsal: true }) }),
    ]);
    const live = turnOf({ agent_id: agent });
    model.script('Done.');
    await turnsOf(world).run(live);
    expect((await view(live.turn_id)).rehearsal).toBe(false);
  });
});
