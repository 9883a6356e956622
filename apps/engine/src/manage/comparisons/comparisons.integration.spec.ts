import { columnsOf, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import type { Scope } from '#libs/service-kit';
import { type As, home, until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import type { ChatRequest, Script } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';
import { ComparisonCaseRepository } from './comparison-case.repository.js';

const usual = 'It is on its way, and it will be there on Monday.';
const atOnce = 2;
const both: Scope[] = ['agents:write', 'agents:read', 'events:read'];

describe('a comparison of two versions of an agent', () => {
  let world: EngineWorld;
  let host: string;
  /** Whether models answer; else their responses wait. */
  let isOpen: boolean;
  let held: (() => void)[];

  beforeAll(async () => {
    world = await engineWorld({ scopes: both, subject: 'user:ada' });
    await world.start({
      TURN_LEASE_MS: 1_000,
      SWEEP_AFTER_MS: 100,
      SWEEP_EVERY_MS: 100,
      COMPARISON_AT_ONCE: atOnce,
      COMPARISON_CASES: 4,
      COMPARISONS_OPEN: 2,
    });
    host = new URL(world.target.url).host;
  });
  beforeEach(() => {
    world.model.script();
    world.target.calls.length = 0;
    isOpen = true;
    held = [];
    world.model.answering((asked) => {
      const answer = answerTo(asked);
      if (isOpen || typeof answer !== 'string') return answer;
      return (response: ServerResponse) => void held.push(() => response.end(completionOf(answer)));
    });
  });
  afterAll(() => world.close());

  /** The order first, then the answer: a short one by the draft. The judge prefers the short one. */
  const answerTo = ({ messages }: ChatRequest): Script => {
    const system = String(messages[0]?.content);
    if (system.includes('You judge two answers')) {
      const shown = String(messages.at(-1)?.content);
      const [, a = ''] = /"answer_a": "(.*)"/.exec(shown) ?? [];
      return JSON.stringify({ better: a === 'Soon.' ? 'a' : 'b', why: 'It is shorter.' });
    }
    if (!messages.some(({ role }) => role === 'tool')) return callOf('order');
    return system.includes('Be short.') ? 'Soon.' : usual;
  };
  const callOf = (path: string) => [
    { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${world.target.url}/${path}` }) },
  ];
  const completionOf = (content: string): string =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
  const release = (): void => {
    isOpen = true;
    for (const answer of held.splice(0)) answer();
  };

  /** An agent that looks orders up, a draft of it that is short, and turns that it has answered. */
  const answered = async (conversations: number) => {
    const agent = await agentOf(world, { tools: ['http_request'], allowed_hosts: [host] });
    const turns: string[] = [];
    for (let count = 0; count < conversations; count += 1) {
      const turn = turnOf({ session: sessionOf(newId('msg')), agent_id: agent });
      await turnsOf(world).run(turn);
      turns.push(turn.turn_id);
    }
    const draft = await world.call('POST', `agents/${agent}/versions`, { instructions: 'Be short.' });
    expect(draft.body.version).toBe(2);
    world.target.calls.length = 0;
    return { agent, turns };
  };
  const begin = async (agent: string, body: object) => {
    const { status, body: made } = await world.call('POST', `agents/${agent}/comparisons`, { candidate: 2, ...body });
    expect(status).toBe(202);
    return `agents/${agent}/comparisons/${made.id}` as const;
  };
  type Comparison = `agents/${string}/comparisons/${string}`;
  const ended = (comparison: Comparison) =>
    until('the comparison has ended', async () => {
      const { body } = await world.call('GET', comparison);
      return body.state !== 'running' && body;
    });
  const casesOf = async (comparison: Comparison) => (await world.call('GET', `${comparison}/cases`)).body.data;
  const trialTurns = async (agent: string): Promise<{ id: string; state: string; reason: string | null }[]> =>
    (
      await world.pool.query(
        `SELECT id, state, reason FROM engine.turn WHERE agent_id = $1 AND app_id LIKE 'trial:%' ORDER BY id`,
        [agent],
      )
    ).rows;

  it('has both answers of each case, by the results recorded then, with what rules and a judge say', async () => {
    const { agent, turns } = await answered(2);
    const before = (await world.pool.query(`SELECT count(*)::integer AS n FROM ${everyEntry} e`)).rows[0].n;
    const rules = [{ contains: 'soon' }, { calls: 'http_request' }];
    const comparison = await begin(agent, { turn_ids: turns, rules, judge: { criteria: 'Short is good.' } });
    expect(await ended(comparison)).toMatchObject({
      state: 'ended',
      cases: 2,
      done: 2,
      rules_checked: 4,
      ties: 0,
      baseline: { version: 1, rules_held: 2, preferred: 0, calls: 2, missed: 0, failed: 0 },
      candidate: { version: 2, rules_held: 4, preferred: 2, calls: 2, missed: 0, failed: 0 },
      made_by: 'user:ada',
    });
    const [first] = await casesOf(comparison);
    expect(first).toMatchObject({
      position: 1,
      state: 'done',
      source_turn_id: turns[0],
      message: 'hello there',
      recorded: usual,
      baseline: { state: 'succeeded', answer: usual, calls: [{ tool: 'http_request', missed: false }] },
      candidate: { state: 'succeeded', answer: 'Soon.' },
      rules: [
        { baseline: 'does not contain "soon"', candidate: null },
        { baseline: null, candidate: null },
      ],
      judge: { prefers: 'candidate', why: 'It is shorter.' },
      judge_error: null,
    });
    expect(first?.candidate?.tokens).toBeGreaterThan(0);
    const judging = world.model.requests.filter(({ messages }) => messages[0]?.content?.includes('You judge'));
    expect(judging.map(({ tools = [] }) => tools)).toEqual([[], []]);
    expect(judging[0]?.messages[0]?.content).toContain('Short is good.');
    expect(world.target.calls).toEqual([]);
    const after = (await world.pool.query(`SELECT count(*)::integer AS n FROM ${everyEntry} e`)).rows[0].n;
    expect(after).toBe(before);
    expect((await world.call('GET', `agents/${agent}`)).body.version).toBe(1);
  });

  it('shows a call that the earlier turn did not make, and a version that fails', async () => {
    const { agent, turns } = await answered(1);
    world.model.answering(({ messages }) => {
      if (!String(messages[0]?.content).includes('Be short.')) return (response) => response.writeHead(400).end('{}');
      return messages.some(({ role }) => role === 'tool') ? 'Soon.' : callOf('another');
    });
    const comparison = await begin(agent, { turn_ids: turns, rules: [{ contains: 'soon' }], judge: {} });
    expect(await ended(comparison)).toMatchObject({
      baseline: { failed: 1, rules_held: 0 },
      candidate: { failed: 0, rules_held: 1, calls: 1, missed: 1 },
    });
    expect(await casesOf(comparison)).toMatchObject([
      {
        baseline: { state: 'failed', answer: null },
        rules: [{ baseline: expect.stringMatching(/^no answer: /), candidate: null }],
        judge: null,
        judge_error: 'no_two_answers',
      },
    ]);
    expect(world.target.calls).toEqual([]);
  });

  it('takes the newest message of the last conversations, or the cases of an earlier comparison', async () => {
    const { agent, turns } = await answered(3);
    const last = await begin(agent, { last: 2 });
    await ended(last);
    const asked = async (comparison: Comparison) => (await casesOf(comparison)).map(({ source_turn_id: id }) => id);
    expect(await asked(last)).toEqual([turns[2], turns[1]]);
    const repeated = await begin(agent, { cases_of: last.split('/').at(-1), baseline: 2, candidate: 1 });
    expect(await ended(repeated)).toMatchObject({ baseline: { version: 2 }, candidate: { version: 1 } });
    expect(await asked(repeated)).toEqual([turns[2], turns[1]]);
    const { body } = await world.call('GET', `agents/${agent}/comparisons?limit=1`);
    expect(body.data.map(({ id }) => id)).toEqual([repeated.split('/').at(-1)]);
    const next = await world.call('GET', `agents/${agent}/comparisons?cursor=${body.next_cursor}`);
    expect(next.body.data.map(({ id }) => id)).toEqual([last.split('/').at(-1)]);
  });

  it('goes on where its engine died, and asks nothing twice', async () => {
    const { agent, turns } = await answered(2);
    isOpen = false;
    const comparison = await begin(agent, { turn_ids: turns, judge: {} });
    await until('both versions of both cases are asked', () => held.length === 4);
    await world.loseJobs();
    const abandon = "owner = 'gone', claim = claim + 1, lease_until = now() - interval '1 second'";
    await world.pool.query(`UPDATE engine.turn SET ${abandon} WHERE agent_id = $1 AND state = 'running'`, [agent]);
    await world.pool.query(`UPDATE engine.comparison_case SET state = 'running', ${abandon} WHERE comparison_id = $1`, [
      comparison.split('/').at(-1),
    ]);
    release();
    expect(await ended(comparison)).toMatchObject({ done: 2, candidate: { preferred: 2 } });
    expect((await trialTurns(agent)).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'succeeded'));
  });

  it('begins nothing for a claim that has lost its case', async () => {
    const { agent, turns } = await answered(1);
    const comparison = await begin(agent, { turn_ids: turns });
    await ended(comparison);
    const cases = world.app.get(ComparisonCaseRepository, { strict: false });
    const [row] = (
      await world.pool.query('SELECT * FROM engine.comparison_case WHERE comparison_id = $1', [
        comparison.split('/').at(-1),
      ])
    ).rows;
    const late = { key: row.id, claim: 1, tries: 0, blocked_since: null, reason: null, spent: null };
    const { input } = turnOf();
    const id = newId('trn');
    const turn = { id, ...columnsOf(home), session_id: null, agent_id: agent, epoch: 0, input: input! };
    expect(await cases.begin({ ...late, state: 'queued', due_in_ms: 0 }, [turn])).toEqual([]);
    expect(await turnsOf(world).row(id)).toBeUndefined();
  });

  it('begins no more cases at once than it may, and none once it is cancelled', async () => {
    const { agent, turns } = await answered(4);
    isOpen = false;
    const comparison = await begin(agent, { turn_ids: turns });
    await until('the first cases are asked', () => held.length === 2 * atOnce);
    expect((await casesOf(comparison)).map(({ state }) => state)).toEqual(['running', 'running', 'waiting', 'waiting']);
    expect((await world.call('POST', `${comparison}/cancel`)).body).toMatchObject({
      state: 'cancelled',
      open: 0,
      cancelled_by: 'user:ada',
    });
    release();
    const rows = await trialTurns(agent);
    expect(rows.map(({ state, reason }) => `${state} ${reason}`)).toEqual(
      Array.from({ length: 2 * atOnce }, () => 'failed cancelled'),
    );
  });

  it('runs through all its cases, and begins none once its tokens are used', async () => {
    const { agent, turns } = await answered(4);
    expect(await ended(await begin(agent, { turn_ids: turns }))).toMatchObject({ cases: 4, done: 4 });
    const bounded = await begin(agent, { turn_ids: turns, max_tokens: 1 });
    expect(await ended(bounded)).toMatchObject({ cases: 4, done: atOnce });
    expect((await casesOf(bounded)).map(({ reason }) => reason)).toEqual([null, null, 'tokens_spent', 'tokens_spent']);
  });

  it('begins once under a key, and within the limit of its project', async () => {
    const { agent, turns } = await answered(1);
    isOpen = false;
    const body = { candidate: 2, turn_ids: turns };
    const under = { headers: { 'idempotency-key': 'k1' } };
    const one = await world.call('POST', `agents/${agent}/comparisons`, body, under);
    expect((await world.call('POST', `agents/${agent}/comparisons`, body, under)).body.id).toBe(one.body.id);
    expect((await world.call('POST', `agents/${agent}/comparisons`, { ...body, max_tokens: 9 }, under)).status).toBe(
      422,
    );
    const second = await begin(agent, { turn_ids: turns });
    expect(await world.call('POST', `agents/${agent}/comparisons`, body)).toMatchObject({
      status: 409,
      body: { code: 'too_many_comparisons' },
    });
    release();
    await ended(`agents/${agent}/comparisons/${one.body.id}`);
    await ended(second);
  });

  it('is nobody else’s, and is refused where it would compare nothing', async () => {
    const { agent, turns } = await answered(1);
    const comparison = await begin(agent, { turn_ids: turns });
    await ended(comparison);
    const other = { projectId: newId('prj') };
    for (const path of [comparison, `${comparison}/cases`, `agents/${agent}/comparisons`]) {
      expect((await world.call('GET', path, undefined, other)).status).toBe(404);
    }
    expect((await world.call('POST', `${comparison}/cancel`, undefined, other)).status).toBe(404);
    const another = await agentOf(world, {});
    expect((await world.call('GET', comparison.replace(agent, another))).status).toBe(404);
    expect((await world.call('GET', `${comparison}/cases`, undefined, { scopes: ['agents:read'] })).status).toBe(403);
    const refused = async (body: object, as?: As) =>
      (await world.call('POST', `agents/${agent}/comparisons`, { candidate: 2, turn_ids: turns, ...body }, as)).body;
    expect(await refused({}, { scopes: ['agents:write'] })).toMatchObject({ code: 'scope_missing' });
    expect(await refused({ candidate: 9 })).toMatchObject({ code: 'version_not_found' });
    expect(await refused({ last: 1 })).toMatchObject({ errors: [{ field: 'last' }] });
    expect(await refused({ turn_ids: [] })).toMatchObject({ errors: [{ field: 'turn_ids' }] });
    expect(await refused({ turn_ids: [newId('trn')] })).toMatchObject({ errors: [{ field: 'turn_ids' }] });
    expect(await refused({ rules: [{ contains: 'a', calls: 'b' }] })).toMatchObject({ errors: [{ field: 'rules.0' }] });
    expect(await refused({ rules: [{ matches: '(' }] })).toMatchObject({ errors: [{ field: 'rules.0.matches' }] });
    expect(await refused({ rules: [{ pointer: '/a' }] })).toMatchObject({ errors: [{ field: 'rules.0' }] });
    const owner = { scopes: [...both, 'approvals:manage'] as Scope[] };
    const draft = await world.call('POST', `agents/${agent}/versions`, { allowed_hosts: [host, 'example.org'] }, owner);
    expect(await refused({ candidate: draft.body.version })).toMatchObject({ code: 'scope_missing' });
  });
});
