import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { type EngineWorld, engineWorld, turnOf } from '../../testing/engine-world.js';
import { type FakeModel, type PlainAnswer, type Script } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const output_schema = {
  type: 'object',
  properties: {
    total: { type: 'number', minimum: 0 },
    lines: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  },
  required: ['total', 'lines'],
  additionalProperties: false,
};
const good = { total: 12.5, lines: [{ name: 'tea' }] };

describe('a run whose workflow declares an output schema', () => {
  let world: EngineWorld;
  let model: FakeModel;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await world.start({ MODEL_STREAMING: 0 });
  });
  afterAll(() => world.close());

  const newTurn = async (schema: object = output_schema) => {
    const run = { id: newId('run'), workflow_id: 1, trigger_id: null, replay: false, replay_of: null };
    const agent_id = await agentOf(world, { tools: ['query_knowledge_graph'] });
    return turnOf({ agent_id, run }, { output_schema: { ...schema } });
  };
  const shown = async (runId: string | undefined) => (await world.call('GET', `runs/${runId}`)).body;
  const run = async (...script: Script[]) => {
    model.script(...script);
    const turn = await newTurn();
    await turnsOf(world).run(turn);
    return shown(turn.run?.id);
  };

  it('gives the value of the answer, for which the model is asked by the schema', async () => {
    const found = await run(JSON.stringify(good));
    expect(found).toMatchObject({ state: 'succeeded', output: good, output_problems: null, reply: 'sent' });
    expect(JSON.parse(String(found['reply_text']))).toEqual(good);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema: output_schema } },
    });
    expect(model.requests[0]?.messages[0]?.content).toContain(JSON.stringify(output_schema.required));
  });

  it.each([
    ['in a code fence', `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
    ['after its thoughts', `<think>{"total": 1}</think>${JSON.stringify(good)}`],
    ['with a token of a template behind it', `${JSON.stringify(good)}<|im_end|>`],
  ])('takes the value %s', async (_where, text) => {
    expect(await run(text)).toMatchObject({ state: 'succeeded', output: good });
    expect(model.requests).toHaveLength(1);
  });

  it('gives the value also where the model calls tools first', async () => {
    const call = [{ name: 'query_knowledge_graph', arguments: '{"query":"tea"}' }];
    expect(await run(call, JSON.stringify(good))).toMatchObject({ state: 'succeeded', output: good });
  });

  it('has one wrong answer repaired, naming the places', async () => {
    const wrong = JSON.stringify({ total: -1, lines: [{}], more: true });
    expect(await run(wrong, JSON.stringify(good))).toMatchObject({ state: 'succeeded', output: good });
    const asked = model.requests[1]?.messages.at(-1);
    expect(asked?.role).toBe('user');
    for (const place of ['/total must be >= 0', '/lines/0/name is missing', '/more is not in the schema'])
      expect(asked?.content).toContain(place);
  });

  it.each<[string, Script, object]>([
    ['a wrong value', JSON.stringify({ ...good, total: 'much' }), { pointer: '/total', message: 'must be number' }],
    ['words', 'The total is 12.', { pointer: '', message: 'is not one JSON value' }],
    ['nothing to say', 'NO_REPLY', { pointer: '', message: 'is not one JSON value' }],
    [
      'a cut answer',
      { content: '{"total": 1', finish_reason: 'length' } satisfies PlainAnswer,
      { pointer: '', message: 'was cut off at the length limit of the model' },
    ],
  ])('fails after two answers that are %s, and says where', async (_what, answer, problem) => {
    const found = await run(answer, answer);
    expect(found).toMatchObject({ state: 'failed', error: 'output_invalid', output: null, output_problems: [problem] });
    expect(found).toMatchObject({ turns: [{ reason_text: expect.stringContaining('output schema') }] });
    expect(model.requests).toHaveLength(2);
  });

  it('names the problem on the timeline when both answers are wrong', async () => {
    model.script('no', 'no');
    const turn = await newTurn();
    await turnsOf(world).run(turn);
    const { rows } = await world.pool.query(
      `SELECT detail FROM ${everyEntry} e WHERE subject_id = $1 AND outcome = 'dead'`,
      [turn.turn_id],
    );
    expect(rows[0].detail.error).toContain('the answer is not one JSON value');
  });

  it('is cleaned like a reply: a value may be shown as it is', async () => {
    const found = await run(JSON.stringify({ total: 1, lines: [{ name: 'tea\u{e0041}<script>x()</script>' }] }));
    expect(JSON.stringify(found.output)).not.toMatch(/<script>|\u{e0041}/u);
    expect(found).toMatchObject({ state: 'succeeded' });
  });

  it('is asked for in words where the endpoint takes no schema, and refused once', async () => {
    const refuse: Script = (response) => {
      const error = { message: 'This response_format type is unavailable now', type: 'invalid_request_error' };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    };
    const schema = { ...output_schema, title: 'refused' };
    for (const script of [[refuse, JSON.stringify(good)], [JSON.stringify(good)]]) {
      model.script(...script);
      const turn = await newTurn(schema);
      await expect(turnsOf(world).run(turn)).resolves.toMatchObject({ state: 'succeeded', output: good });
      expect(model.requests).toHaveLength(script.length);
      expect(model.requests.at(-1)).not.toHaveProperty('response_format');
    }
  });

  it('goes on with the repair when a redrive finds its wrong answers', async () => {
    model.script('no', 'no', JSON.stringify(good));
    const turn = await newTurn();
    await turnsOf(world).run(turn);
    await turnsOf(world).redrive(turn, 1);
    await expect(turnsOf(world).reaches(turn.turn_id, 'succeeded')).resolves.toMatchObject({ output: good });
    expect(model.requests.at(-1)?.messages.filter(({ content }) => content?.includes('JSON Schema: '))).toHaveLength(2);
  });

  it('fails at once for a schema that cannot be used', async () => {
    const turn = await newTurn({ type: 'object', properties: { a: { $ref: '#/nowhere' } } });
    await expect(turnsOf(world).run(turn)).resolves.toMatchObject({ state: 'failed', reason: 'output_invalid' });
  });
});
