import type { ToolImage } from '#libs/contracts';
import { engineWorld, type EngineWorld, turnOf } from '../../../testing/engine-world.js';
import type { FakeModel } from '../../../testing/fake-model.js';
import { type FakeServices, type RecordedRequest, toolOf, toolsetOf } from '../../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../../testing/turns-of.js';

const imageOf = (bytes: number, fill = 1): ToolImage => ({
  media_type: 'image/png',
  data: Buffer.alloc(bytes, fill).toString('base64'),
});
const urlOf = ({ media_type, data }: ToolImage): string => `data:${media_type};base64,${data}`;
const look = (text: string) => ({ name: 'desk__look', arguments: JSON.stringify({ text }) });
const content = '[image, image/png, 900 bytes]';

describe.each([
  { takes: 'text and images', MODEL_INPUTS: ['text', 'image'], shown: true },
  { takes: 'text', MODEL_INPUTS: ['text'], shown: false },
  { takes: 'what nobody has said', MODEL_INPUTS: [], shown: false },
])('images of a tool, with a model that takes $takes', ({ MODEL_INPUTS, shown }) => {
  let world: EngineWorld;
  let model: FakeModel;
  let services: FakeServices;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, services } = world);
    agent = await agentOf(world, { skills: ['skl_desk'] });
    await world.start({ ROUTER_URL: services.url, MODEL_INPUTS, TURN_IMAGE_BYTES: 2_000 });
    const input_schema = { type: 'object', properties: { text: { type: 'string' } } };
    services.on('/internal/toolsets', () => toolsetOf([toolOf({ name: 'look', input_schema })]));
  });
  afterAll(() => world.close());

  const answer = (...images: ToolImage[]): void =>
    services.on('/internal/tool-calls', ({ body }: RecordedRequest) => ({
      ok: true,
      content: `${content} ${(body['arguments'] as { text: string }).text}`,
      is_error: false,
      truncated: false,
      images,
    }));
  /** The images in each request to the model, in order. */
  const seen = (): string[][] =>
    model.requests.map(({ messages }) =>
      [...JSON.stringify(messages).matchAll(/"url":"(data:[^"]+)"/g)].map(([, url]) => url ?? ''),
    );
  const asked = () => services.requests.filter(({ path }) => path === '/internal/tool-calls');

  it('are shown after the results of their step, or else only named, also when the turn is resumed', async () => {
    answer(imageOf(900));
    services.requests.length = 0;
    model.script([look('a'), look('b')], { content: null, finish_reason: 'content_filter' });
    const turn = turnOf({ agent_id: agent });
    const turns = turnsOf(world);
    expect(await turns.run(turn)).toMatchObject({ state: 'failed', reason: 'content_filter' });
    const wanted = shown ? [urlOf(imageOf(900)), urlOf(imageOf(900))] : [];
    expect(seen()).toEqual([[], wanted]);
    const roles = model.requests[1]?.messages.map(({ role }) => role).slice(-3);
    expect(roles).toEqual(shown ? ['tool', 'tool', 'user'] : ['assistant', 'tool', 'tool']);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(content);
    expect(asked().map(({ body }) => body['image_bytes'])).toEqual(shown ? [2_000, 2_000] : [undefined, undefined]);
    answer();
    model.script('I see.');
    await turns.redrive(turn, 1);
    expect(await turns.reaches(turn.turn_id, 'succeeded')).toMatchObject({ reply_text: 'I see.' });
    expect(seen()).toEqual([wanted]);
    const { text: view } = await world.call('GET', `turns/${turn.turn_id}`);
    expect(view).toContain(content);
    if (shown) expect(view).toContain('"images":1');
    expect(view).not.toContain(imageOf(900).data);
  });

  it('are at most so many bytes in a turn, whatever each call returns', async () => {
    answer(imageOf(700, 1), imageOf(1_200, 2), imageOf(200, 3));
    model.script([look('a')], [look('b')], 'Enough.');
    services.requests.length = 0;
    await turnsOf(world).run(turnOf({ agent_id: agent }));
    const first = [imageOf(700, 1), imageOf(1_200, 2)].map(urlOf);
    expect(seen()).toEqual(shown ? [[], first, first] : [[], [], []]);
    expect(asked()[1]?.body['image_bytes']).toBe(shown ? 100 : undefined);
  });
});
