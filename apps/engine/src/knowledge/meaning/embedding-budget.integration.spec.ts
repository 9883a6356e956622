import { noLimits, ProjectLimits } from '#libs/project-limits';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { fakeEmbeddings, type FakeEmbeddings } from '../../testing/fake-embeddings.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('tokens of embeddings', () => {
  let world: EngineWorld;
  let endpoint: FakeEmbeddings;
  let setLimits: (limits: Partial<typeof noLimits>) => Promise<unknown>;

  const meaning = async () => (await world.call('GET', 'knowledge/meaning')).body;
  const ready = () => until('all documents have vectors', async () => (await meaning()).state === 'ready');
  const add = async (title: string, text: string) =>
    (await world.call('POST', 'knowledge', { title, text })).body.id as string;
  const usage = async (by: string) => (await world.call('GET', `usage?group_by=${by}`)).body.data;
  const failing = (code: string) =>
    until('it waits', async () => {
      const { failure } = await meaning();
      return failure?.code === code && failure;
    });

  beforeAll(async () => {
    [world, endpoint] = await Promise.all([
      engineWorld({ scopes: ['knowledge:write', 'agents:write'] }),
      fakeEmbeddings([['refund', 'money back'], ['parcel']]),
    ]);
    const engine = await world.start({
      SWEEP_EVERY_MS: 100,
      MODEL_PRICES: { 'vectors/straight': { input: 10, output: 0 } },
    });
    const limits = engine.get(ProjectLimits, { strict: false });
    setLimits = (changed) => limits.set(home.organizationId, home.projectId, { ...noLimits, ...changed });
    world.services.on('/internal/toolsets/resolve', () => ({ skills: [], tools: [], problems: [], left_out: [] }));
  });
  afterAll(async () => {
    await world.close();
    await endpoint.close();
  });
  beforeEach(async () => {
    await world.call('DELETE', 'knowledge/meaning');
    const { rows } = await world.pool.query('SELECT id FROM engine.document');
    for (const { id } of rows) await world.call('DELETE', `knowledge/${id}`);
    await world.pool.query('DELETE FROM engine.usage');
    await world.pool.query('DELETE FROM engine.model_usage');
    await setLimits({});
    endpoint.counts(7);
    const body = { name: 'vectors', kind: 'openai-compatible', base_url: endpoint.url };
    const { data } = (await world.call('GET', 'providers')).body;
    const provider_id = data[0]?.id ?? (await world.call('POST', 'providers', body)).body.id;
    await world.call('PUT', 'knowledge/meaning', { provider_id, model: 'straight' });
    endpoint.texts.length = 0;
  });

  it('count for the project where they are of its documents, and of people who search', async () => {
    await add('Refunds', 'We refund it.');
    await ready();
    // The word by which the model was tried, and the document.
    expect(await usage('agent')).toMatchObject([
      { agent_id: '', model_calls: 2, input_tokens: 14, output_tokens: 0, cost_micros: 140 },
    ]);
    await world.call('GET', 'knowledge/search?q=money');
    expect(await usage('model')).toMatchObject([
      { model: 'vectors/straight', model_calls: 3, input_tokens: 21, cost_micros: 210 },
    ]);
  });

  it('count as one for four characters where the endpoint does not say how many there were', async () => {
    endpoint.counts(null);
    await add('T', 'x'.repeat(397));
    await ready();
    const [{ input_tokens: counted } = { input_tokens: 0 }] = await usage('total');
    expect(counted).toBe(7 + 100);
  });

  it('count for the agent and its contact where a turn asks, who else pays nothing for it', async () => {
    await add('Refunds', 'We refund it.');
    await ready();
    const agent = await agentOf(world, { tools: ['query_knowledge_graph'] });
    world.model.script([{ name: 'query_knowledge_graph', arguments: '{"query":"money back"}' }], 'Done.');
    await turnsOf(world).run(turnOf({ agent_id: agent }));
    const { rows } = await world.pool.query(
      `SELECT sum(input_tokens)::integer AS tokens FROM engine.model_usage WHERE model = 'vectors/straight'`,
    );
    expect(rows[0].tokens).toBe(21);
    const of = (await usage('agent')).find(({ agent_id: id }) => id === '');
    expect(of?.input_tokens).toBe(14);
  });

  it('that the budget has no room for are not asked for: documents wait, say so, and go on when it is raised', async () => {
    await setLimits({ day_tokens: 20 });
    endpoint.counts(20);
    await add('First', 'Short.');
    await ready();
    const id = await add('Second', 'This one waits.');
    expect(await failing('day_budget_spent')).toMatchObject({
      error: "Vectors of documents wait: the project's tokens of the day are used up.",
      what_to_do: expect.stringContaining('Raise the limit of the project'),
      next_try_at: expect.any(String),
    });
    expect(endpoint.texts.join()).not.toContain('waits');
    expect((await world.call('GET', `knowledge/${id}`)).body.by_meaning).toBe(false);
    const found = (await world.call('GET', 'knowledge/search?q=waits')).body;
    expect(found.data[0]?.title).toBe('Second');
    expect(found.note).toBe(
      "Documents were searched by their words alone, not by meaning: the project's tokens of the day are used up.",
    );
    await setLimits({ day_tokens: 10_000 });
    await ready();
    expect((await world.call('GET', `knowledge/${id}`)).body.by_meaning).toBe(true);
  });

  it('of a request that needs more than is left are left as well, and nothing stays reserved after one', async () => {
    await setLimits({ month_tokens: 180 });
    await add('Short', 'It fits.');
    await ready();
    await add('Long', 'It does not fit. '.repeat(40));
    expect(await failing('day_reserved')).toMatchObject({
      error: expect.stringContaining('less than the next request'),
      what_to_do: expect.stringContaining('wait'),
    });
    const { rows } = await world.pool.query('SELECT 1 FROM engine.budget_hold');
    expect(rows).toEqual([]);
    await setLimits({ month_tokens: 7 });
    expect(await failing('month_budget_spent')).toMatchObject({ error: expect.stringContaining('of the month') });
  });

  it('of a batch for which a limit is too small are those of fewer documents at a time', async () => {
    await setLimits({ day_tokens: 160 });
    for (const title of ['One', 'Two', 'Three']) await add(title, 'Each is of a hundred. '.repeat(20));
    await ready();
    expect(endpoint.texts).toHaveLength(3);
  });

  it('of a text for which the limit itself is too small are left, and only a higher limit is named as help', async () => {
    await setLimits({ day_tokens: 60 });
    await add('Long', 'It does not fit. '.repeat(40));
    expect(await failing('budget_too_small')).toMatchObject({
      error: expect.stringContaining('less than one request may use'),
      what_to_do: 'Raise the limit of the project: it is less than one part of a document needs.',
    });
    await setLimits({ day_tokens: 10_000 });
    await ready();
  });

  it('are not asked for while a turn has reserved what is left, which answers by words and says so', async () => {
    await add('Refunds', 'We refund it.');
    await ready();
    endpoint.texts.length = 0;
    const agent = await agentOf(world, { tools: ['query_knowledge_graph'], caps: { day_tokens: 100 } });
    world.model.script([{ name: 'query_knowledge_graph', arguments: '{"query":"refund"}' }], 'Done.');
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    const [result] = await turnsOf(world).results(turn.turn_id);
    expect(result.documents[0].title).toBe('Refunds');
    expect(result.note).toContain('by their words alone, not by meaning: what is left of the budget');
    expect(endpoint.texts).toEqual([]);
  });

  it('do not choose a model where the budget is used up', async () => {
    await setLimits({ day_tokens: 7 });
    await until('the limit holds', async () => (await usage('total'))[0]?.input_tokens === 7);
    const [provider] = (await world.call('GET', 'providers')).body.data;
    const choice = { provider_id: provider?.id ?? '', model: 'turned' };
    const { status, body } = await world.call('PUT', 'knowledge/meaning', choice);
    expect([status, body.code]).toEqual([409, 'day_budget_spent']);
  });
});
