import { deliverySend, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { type As, until } from '#libs/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('the limits of a turn', () => {
  let world: EngineWorld;
  let model: FakeModel;
  const together = new Set<object>();
  let mostTogether = 0;
  const order: string[] = [];
  const held: (() => void)[] = [];
  // Two reads wait for each other. Any other call lasts long enough that a parallel one would be seen.
  const slow = createServer((request, response) => {
    order.push(`${request.method} ${request.url}`);
    together.add(response);
    mostTogether = Math.max(mostTogether, together.size);
    const end = (): void => {
      together.delete(response);
      response.end('ok');
    };
    response.once('close', () => together.delete(response));
    if (!request.url?.startsWith('/held')) setTimeout(end, 60);
    else if (held.push(end) === 2) for (const each of held) each();
  });

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    await world.start({
      MODEL_TIMEOUT_MS: 6_000,
      MODEL_PRICES: { fake: { input: 2, output: 4 }, spare: { input: 1, output: 1 } },
      TURN_PARALLEL_CALLS: 2,
    });
  });
  beforeEach(() => {
    order.length = 0;
    mostTogether = 0;
  });
  afterAll(async () => {
    await world.close();
    await new Promise((resolve) => slow.close(resolve));
  });

  const call = (method: string, path: string) => ({
    name: 'http_request',
    arguments: JSON.stringify({ method, url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}${path}` }),
  });
  const run = async (agentId: string, input = {}) => turnsOf(world).run(turnOf({ agent_id: agentId }, input));
  const toolsOffered = () => model.requests.map((request) => request.tools?.length ?? 0);

  it('let reading calls run together, and writing calls one by one in order', async () => {
    const agent = await agentOf(world, { tools: ['http_request'] });
    model.script(
      ['/held/1', '/held/2', '/3'].map((path) => call('GET', path)),
      'Read.',
    );
    await run(agent);
    expect(mostTogether).toBe(2);
    order.length = 0;
    mostTogether = 0;
    model.script([call('POST', '/a'), call('POST', '/b'), call('GET', '/c')], 'Written.');
    await run(agent);
    expect(order).toEqual(['POST /a', 'POST /b', 'GET /c']);
    expect(mostTogether).toBe(1);
  });

  it('end steps, calls and tokens with a last answer without tools', async () => {
    const steps = await agentOf(world, { tools: ['http_request'], caps: { steps: 2 } });
    model.script([call('GET', '/1')], 'Two steps.');
    expect(await run(steps)).toMatchObject({ reply_text: 'Two steps.' });
    expect(toolsOffered()).toEqual([2, 0]);
    const calls = await agentOf(world, { tools: ['http_request'], caps: { tool_calls: 1 } });
    model.script([call('GET', '/1'), call('GET', '/2')], 'One call.');
    expect(await run(calls)).toMatchObject({ reply_text: 'One call.' });
    expect(toolsOffered()).toEqual([2, 0]);
    const tokens = await agentOf(world, { tools: ['http_request'], caps: { run_tokens: 30 } });
    model.script([call('GET', '/1')], [call('GET', '/2')], 'Thirty tokens.');
    expect(await run(tokens)).toMatchObject({ reply_text: 'Thirty tokens.', tokens: 45 });
    expect(toolsOffered()).toEqual([2, 2, 0]);
    const cost = await agentOf(world, { tools: ['http_request'], caps: { run_cost_micros: 40 } });
    model.script([call('GET', '/1')], 'Forty.');
    expect(await run(cost)).toMatchObject({ cost_micros: 80 });
    expect(toolsOffered()).toEqual([2, 0]);
  });

  it('end the turns of a contact when its daily budget is spent, and of nobody else', async () => {
    const agent = await agentOf(world, { caps: { contact_day_tokens: 20 } });
    model.script();
    expect(await run(agent, { contact_id: 'con_a' })).toMatchObject({ state: 'succeeded', tokens: 15 });
    expect(await run(agent, { contact_id: 'con_a' })).toMatchObject({ state: 'succeeded' });
    expect(await run(agent, { contact_id: 'con_a' })).toMatchObject({ state: 'failed', reason: 'day_budget_spent' });
    expect(await run(agent, { contact_id: 'con_b' })).toMatchObject({ state: 'succeeded' });
    const day = await agentOf(world, { caps: { day_cost_micros: 1 } });
    expect(await run(day)).toMatchObject({ state: 'succeeded', cost_micros: 40 });
    expect(await run(day)).toMatchObject({ state: 'failed', reason: 'day_budget_spent' });
  });

  it('of a day are announced to a contact once a day, however much it writes, and to each contact', async () => {
    const caps = { contact_day_tokens: 1 };
    const [agent, other] = [await agentOf(world, { caps }), await agentOf(world, { caps: { day_tokens: 1 } })];
    model.script();
    const write = async (id: string, contact_id: string | undefined) => {
      const turn = turnOf({ agent_id: id }, { failure_notice: 'Not today.', ...(contact_id ? { contact_id } : {}) });
      return { ...(await turnsOf(world).run(turn)), receipt_id: turn.receipt_id };
    };
    for (const contact of ['con_often', 'con_other']) await write(agent, contact);
    await write(other, 'con_first');
    const many = await Promise.all(Array.from({ length: 6 }, () => write(agent, 'con_often')));
    expect(many.every(({ reason }) => reason === 'day_budget_spent')).toBe(true);
    expect(many.filter(({ notice_id }) => notice_id !== null)).toHaveLength(1);
    expect((await write(agent, 'con_other')).notice_id).not.toBeNull();
    // Others have spent the agent's day: this contact has used nothing.
    expect((await write(other, 'con_new')).notice_id).not.toBeNull();
    expect((await write(other, 'con_new')).notice_id).toBeNull();
    const quiet = await write(agent, 'con_often');
    const { rows } = await world.pool.query(
      `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'dead'`,
      [quiet.id],
    );
    expect(rows[0].detail.notice).toContain('informed today');
    await world.pool.query(`UPDATE engine.usage SET day = day - 1 WHERE agent_id = $1`, [agent]);
    await write(agent, 'con_often');
    expect((await write(agent, 'con_often')).notice_id).not.toBeNull();
  });

  it.each<[string, object, string]>([
    ['tokens of the contact', { contact_day_tokens: 1 }, '(tokens) is reached, for what is written to you'],
    ['tokens of the agent', { day_tokens: 1 }, '(tokens) is reached, for all who write here together'],
    ['cost of the contact', { contact_day_cost_micros: 1 }, 'cost a day is reached, for what is written to you'],
    ['cost of the agent', { day_cost_micros: 1 }, 'cost a day is reached, for all who write here together'],
  ])('of a day are named to the contact: %s', async (_what, caps, words) => {
    const agent = await agentOf(world, { caps });
    const contact_id = newId('con');
    await world.pool.query(
      `INSERT INTO engine.usage (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
              input_tokens, output_tokens, cost_micros)
       SELECT project_id, (now() AT TIME ZONE 'utc')::date, id, $2, organization_id, 1, 0, 5, 5, 5
         FROM engine.agent WHERE id = $1`,
      [agent, contact_id],
    );
    const limit_words = 'Not today. {limit} Until {until}.';
    const turn = turnOf({ agent_id: agent }, { failure_notice: 'Sorry.', limit_words, contact_id });
    const ended = await turnsOf(world).run(turn);
    expect(ended).toMatchObject({ state: 'failed', reason: 'day_budget_spent' });
    const sent = await until('the notice is offered', async () =>
      (await world.waiting(deliverySend)).find((job) => job.turn_id === turn.turn_id),
    );
    expect(sent.content?.text).toMatch(/^Not today\. The limit .* Until \d{4}-\d\d-\d\d 00:00 UTC\.$/);
    expect(sent.content?.text).toContain(words);
  });

  it.each<[string, object, string | null]>([
    ['are not shown where the channel sends no such notice', { failure_notice: 'Sorry.', limit_words: null }, null],
    ['are shown where a failed turn is not', { limit_words: 'Until tomorrow.' }, 'Until tomorrow.'],
    ['are announced as a failed turn is, by a turn of the previous release', { failure_notice: 'Sorry.' }, 'Sorry.'],
  ])('of a day %s', async (_what, notices, text) => {
    const agent = await agentOf(world, { caps: { day_tokens: 1 } });
    model.script();
    await run(agent);
    const turn = turnOf({ agent_id: agent }, { contact_id: newId('con'), ...notices });
    const ended = await turnsOf(world).run(turn);
    expect(ended).toMatchObject({ reason: 'day_budget_spent', notice_id: text && expect.any(String) });
    if (text) expect(ended.input?.failure_notice).toBe(text);
  });

  it('are counted by day, agent and contact, and shown by the API to their project', async () => {
    const agent = await agentOf(world, { tools: ['http_request'] });
    model.script([call('GET', '/1')], 'Counted.');
    await run(agent, { contact_id: 'con_counted' });
    const usage = async (query: string, as?: As) => (await world.call('GET', `usage?${query}`, undefined, as)).body;
    const byContact = (await usage('group_by=contact')).data.find((row) => row.contact_id === 'con_counted');
    expect(byContact).toEqual({
      day: null,
      agent_id: null,
      contact_id: 'con_counted',
      model: null,
      model_calls: 2,
      tool_calls: 1,
      input_tokens: 20,
      output_tokens: 10,
      cost_micros: 80,
      audio_seconds: 0,
    });
    const today = new Date().toISOString().slice(0, 10);
    expect((await usage('group_by=day_agent')).data).toContainEqual(
      expect.objectContaining({ day: today, agent_id: agent, cost_micros: 80 }),
    );
    const ofModel = async () => {
      const row = (await usage('group_by=day_model')).data.find(({ model: name }) => name === 'fake');
      if (!row) throw new Error('the model has no row');
      return row;
    };
    const before = await ofModel();
    expect(before).toMatchObject({ day: today, agent_id: null, contact_id: null, tool_calls: 0 });
    model.script([call('GET', '/1')], 'Counted again.');
    await run(agent);
    expect(await ofModel()).toEqual({
      ...before,
      model_calls: before.model_calls + 2,
      input_tokens: before.input_tokens + 20,
      output_tokens: before.output_tokens + 10,
      cost_micros: before.cost_micros + 80,
    });
    expect((await usage('group_by=total', { projectId: 'prj_none' })).data).toEqual([]);
    expect((await usage('from=yesterday')).code).toBe('invalid_fields');
  });

  it('hand a turn over to the fallback model, which keeps it to its end', async () => {
    const agent = await agentOf(world, { tools: ['http_request'], fallback_model: 'spare' });
    model.script(() => undefined, [call('GET', '/1')], 'By the spare one.');
    const turn = await run(agent);
    expect(turn).toMatchObject({ state: 'succeeded', claim: 1, reply_text: 'By the spare one.', cost_micros: 30 });
    expect(model.requests.map((request) => request.model)).toEqual(['fake', 'spare', 'spare']);
  });
});
