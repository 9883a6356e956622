import type { Egress } from '#libs/egress';
import { endpointOf } from '../../testing/endpoint-of.js';
import { fakeProvider, type FakeProvider } from '../../testing/fake-provider.js';
import { protocols } from '../../testing/provider-protocols.js';
import { streamedProtocols } from '../../testing/provider-streams.js';
import { thinking } from '../../testing/thinking.js';
import type { EndpointModel } from './endpoint-model.js';
import { modelEgress } from './model-fetch.js';
import type { Completion, ModelMessage, ToolDescription } from './model.js';

const tools: ToolDescription[] = [
  { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const asked: ModelMessage[] = [{ role: 'user', content: 'How far is the sea?' }];
const never = new AbortController().signal;

let server: FakeProvider;
let egress: Egress;
beforeAll(async () => {
  server = await fakeProvider();
  egress = modelEgress(['127.0.0.1'], { MODEL_TIMEOUT_MS: 10_000 });
});
afterAll(() => Promise.all([server.close(), egress.close()]));

describe.each(Object.entries(thinking))(
  'what a model of %s thought before its calls',
  (kind, { whole, frames, sent }) => {
    const protocol = protocols('{}').find((each) => each.kind === kind)!;
    const streamed = streamedProtocols[protocol.kind];
    const heard: string[] = [];
    const sink = { write: (text: string) => void heard.push(text), restart: () => undefined };
    let model: EndpointModel;
    beforeEach(() => {
      model = endpointOf(server, egress, protocol);
      heard.length = 0;
    });

    const wholly = (): Promise<Completion> => {
      server.answer(() => ({ json: whole }));
      return model.complete(asked, tools, never);
    };
    const inStream = (): Promise<Completion> => {
      server.answer(() => (response) => {
        response.writeHead(200, { 'content-type': streamed.type });
        for (const frame of frames) response.write(frame);
        response.end();
      });
      return model.complete(asked, tools, never, { sink });
    };
    /** What it is sent with the result, as if the answer had come from this model. */
    const returned = async ({ tool_calls, thoughts }: Completion, from: string): Promise<string> => {
      const kept = thoughts ? { thoughts: { ...thoughts, from } } : {};
      const [call] = tool_calls;
      const messages: ModelMessage[] = [
        ...asked,
        // As it is read from the row of a step.
        JSON.parse(JSON.stringify({ role: 'assistant', content: '', tool_calls, ...kept })) as ModelMessage,
        { role: 'tool', call_id: call?.id ?? '', name: 'look', result: 'far' },
      ];
      server.answer(() => ({ json: protocol.text('Far.') }));
      await model.complete(messages, tools, never);
      return server.requests[0]?.text ?? '';
    };

    it.each([
      ['whole', wholly],
      ['streamed', inStream],
    ])('is returned with their results as it came, from an answer that was %s', async (_how, answer) => {
      const first = await answer();
      expect(first.tool_calls).toEqual([expect.objectContaining({ name: 'look', arguments: { at: 'sea' } })]);
      expect(first.thoughts?.from).toBe('desk/m');
      const text = await returned(first, 'desk/m');
      for (const part of sent) expect(text).toContain(JSON.stringify(part).slice(1, -1));
      if (sent.length === 0) expect(text).not.toContain('The sea is far.');
    });

    it('is shown to no other model, and is no word of the answer', async () => {
      const first = await inStream();
      expect([first.text, heard.join('')]).toEqual(['', '']);
      const text = await returned(first, 'other/m');
      expect(text).toContain('look');
      for (const part of sent) expect(text).not.toContain(JSON.stringify(part).slice(1, -1));
      expect(text).not.toContain('The sea is far.');
    });
  },
);

it('an answer without calls keeps no thoughts', async () => {
  const { frames: _frames, ...anthropic } = thinking.anthropic;
  const content = (anthropic.whole as { content: { type: string }[] }).content.filter(
    ({ type }) => type !== 'tool_use',
  );
  const protocol = protocols('{}').find(({ kind }) => kind === 'anthropic')!;
  server.answer(() => ({
    json: { ...anthropic.whole, content: [...content, { type: 'text', text: 'Far.' }], stop_reason: 'end_turn' },
  }));
  const answer = await endpointOf(server, egress, protocol).complete(asked, tools, never);
  expect(answer).toMatchObject({ text: 'Far.', tool_calls: [] });
  expect(answer).not.toHaveProperty('thoughts');
});
