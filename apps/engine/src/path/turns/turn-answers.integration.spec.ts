import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel, type Script } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const maxUnreadable = 3;

describe('what a model answers', () => {
  let world: EngineWorld;
  let model: FakeModel;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await world.start({
      MODEL_API_KEY: 'key-of-the-endpoint-51H8xQ2e',
      MODEL_PRICES: { fake: { input: 100, output: 100 } },
      TURN_MAX_UNREADABLE: maxUnreadable,
    });
  });
  afterEach(() => model.always(null));
  afterAll(() => world.close());

  const body =
    (given: unknown): Script =>
    (response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(typeof given === 'string' ? given : JSON.stringify(given));
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const asks = (...tool_calls: unknown[]): Script =>
    body({ choices: [{ message: { role: 'assistant', content: null, tool_calls } }], usage });
  const run = async (...script: Script[]) => {
    model.script(...script);
    const agent_id = await agentOf(world, { tools: ['query_knowledge_graph'] });
    const turn = turnOf({ agent_id });
    const ended = await turnsOf(world).run(turn);
    const steps = await turnsOf(world).steps(turn.turn_id);
    return { agent_id, ended, steps, results: await turnsOf(world).results(turn.turn_id) };
  };
  const usageOf = (agentId: string) =>
    until('its usage is counted', async () => {
      const sql = 'SELECT * FROM engine.usage WHERE project_id = $1 AND agent_id = $2';
      return (await world.pool.query(sql, [home.projectId, agentId])).rows[0];
    });
  const search = (args?: unknown) => ({
    type: 'function',
    function: { name: 'query_knowledge_graph', arguments: args },
  });

  it.each<[string, unknown]>([
    ['as text', '{"query":"tea"}'],
    ['as an object', { query: 'tea' }],
    ['encoded twice', '"{\\"query\\":\\"tea\\"}"'],
    ['in a list', [{ query: 'tea' }]],
    ['as fragments', ['{"query":', '"tea"}']],
    ['with a trailing comma and a token behind', '{"query":"tea",}<|im_end|>'],
    ['with null for what is optional', '{"query":"tea","limit":null}'],
    ['with a number as text', '{"query":"tea","limit":"2"}'],
  ])('takes arguments %s, in one model call more', async (_what, args) => {
    const { ended, results, agent_id } = await run(asks(search(args)), 'Found.');
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Found.', claim: 1, tokens: 30 });
    expect(results[0]).not.toHaveProperty('error');
    expect(model.requests).toHaveLength(2);
    expect(await usageOf(agent_id)).toMatchObject({ model_calls: 2, input_tokens: '20', output_tokens: '10' });
  });

  it.each<[string, unknown]>([
    ['that are absent', undefined],
    ['that are null', null],
    ['that are empty', ''],
    ['that are cut off', '{"query":"te'],
    ['that are prose', 'look for tea'],
    ['that are a list', '[1, 2]'],
  ])('names arguments %s to the model, which can be asked again', async (_what, args) => {
    const { ended, results } = await run(asks(search(args)), 'Sorry.');
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Sorry.', claim: 1, tokens: 30 });
    expect(results[0].error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(/query|object/),
    });
    const [, retried] = model.requests;
    expect(retried?.messages.at(-2)?.tool_calls).toMatchObject([{ function: { arguments: '{}' } }]);
  });

  it('ends with a last answer where the model never learns to write them', async () => {
    model.always(asks(search('{"query":')));
    const { ended, results } = await run();
    expect(ended).toMatchObject({ state: 'failed', reason: 'calls_exhausted', claim: 1 });
    expect(results.length).toBe(model.requests.length - 1);
    expect(ended.tokens).toBe(model.requests.length * 15);
  });

  it('reads calls without ids, with the same id, and with names that are not quite right', async () => {
    const named = (name: unknown, id?: string) => ({ id, function: { name, arguments: '{"query":"tea"}' } });
    const { results } = await run(
      asks(
        named(' query_knowledge_graph\n', 'a'),
        named('functions.query_knowledge_graph', 'a'),
        named('no such tool!'),
        named(null),
      ),
      'Found.',
    );
    // Calls that read run in parallel and end in any order.
    expect(results.map((result) => String(result.error?.code ?? 'ok')).toSorted()).toEqual([
      'ok',
      'ok',
      'unknown_tool',
      'unknown_tool',
    ]);
    const calls = model.requests[1]?.messages.at(-5)?.tool_calls as { id: string; function: { name: string } }[];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    expect(calls.map((each) => each.function.name)).toEqual([
      'query_knowledge_graph',
      'query_knowledge_graph',
      'no_such_tool_',
      'unnamed',
    ]);
  });

  it.each<[string, unknown]>([
    ['no usage', undefined],
    ['null as usage', null],
    ['words as usage', { prompt_tokens: 'many', completion_tokens: -1 }],
  ])('estimates the tokens of an answer with %s', async (_what, given) => {
    const { ended, steps } = await run(body({ choices: [{ message: { content: 'Hello there.' } }], usage: given }));
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Hello there.' });
    expect(ended.tokens).toBeGreaterThan(20);
    expect(steps[0].content).toMatchObject({ tokens_estimated: true });
  });

  it('counts usage that is text, and no more of it than a row can hold', async () => {
    const message = { content: 'Hello.' };
    const texts = await run(body({ choices: [{ message }], usage: { prompt_tokens: '10', completion_tokens: '5' } }));
    expect(texts.ended).toMatchObject({ state: 'succeeded', tokens: 15 });
    const huge = await run(body({ choices: [{ message }], usage: { prompt_tokens: 1e18, completion_tokens: 1e300 } }));
    expect(huge.ended).toMatchObject({ state: 'succeeded', tokens: 20_000_000 });
  });

  it.each<[string, unknown, number]>([
    ['has no choice', { choices: [], usage }, 15],
    ['is no object', 'null', 0],
    ['is cut off', '{"choices": [{"mess', 0],
    ['is a web page', '<!doctype html><title>Down</title>', 0],
    ['is an error of no kind', { error: { message: 'odd' }, usage }, 15],
    ['broke off', { choices: [{ message: { content: 'To b' }, finish_reason: 'error' }], usage }, 15],
  ])('counts an answer that %s, and fails after TURN_MAX_UNREADABLE of them', async (_what, given, tokens) => {
    model.always(body(given));
    const { ended, steps, agent_id } = await run();
    expect(ended).toMatchObject({ state: 'failed', reason: 'model_malformed', claim: maxUnreadable });
    expect(model.requests).toHaveLength(maxUnreadable);
    expect(steps.map(({ kind, content }) => [kind, content.discarded])).toEqual(
      Array.from({ length: maxUnreadable }, () => ['model_call', 'model_malformed']),
    );
    const counted = await usageOf(agent_id);
    expect(counted).toMatchObject({ model_calls: maxUnreadable });
    if (tokens > 0) expect(ended.tokens).toBe(maxUnreadable * tokens);
    expect(Number(counted.input_tokens) + Number(counted.output_tokens)).toBe(ended.tokens);
    expect(ended).toMatchObject({ steps: maxUnreadable, cost_micros: ended.tokens * 100 });
  });

  it('shows the beginning of an answer that cannot be read without the key that the endpoint repeats in it', async () => {
    const { steps } = await run(body('<p>No model for key-of-the-endpoint-51H8xQ2e</p>'), 'Hello.');
    expect(steps[0].content).toMatchObject({ discarded: 'model_malformed', excerpt: '<p>No model for [redacted]</p>' });
  });

  it('counts the unreadable answer of a model that its fallback replaces', async () => {
    model.script(body({ choices: [], usage }), 'From the second.');
    const turn = turnOf({ agent_id: await agentOf(world, { fallback_model: 'second' }) });
    const ended = await turnsOf(world).run(turn);
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'From the second.', claim: 1, tokens: 30 });
    expect(model.requests.map((request) => request.model)).toEqual(['fake', 'second']);
  });

  it('waits for an endpoint that reports its overload in an answer of status 200', async () => {
    const { ended, steps } = await run(body({ error: { code: 429, message: 'slow down' } }), 'Hello.');
    expect(ended).toMatchObject({ state: 'succeeded', reply_text: 'Hello.', waits: 1 });
    expect(steps).toHaveLength(1);
  });
});
