import type { ProviderKind } from '../path/model/provider-kind.js';
import { protocols } from './provider-protocols.js';
import { amazonFrame, named, sse, streamedProtocols } from './provider-streams.js';

/** An answer that thinks before it calls, as a provider writes it. */
interface Thinking {
  whole: object;
  frames: Buffer[];
  /** The parts that it wants back with the result, as they stand in the request. */
  sent: object[];
}

const thought = 'The sea is far.';
const calls = [{ id: 'call00001', name: 'look', arguments: { at: 'sea' } }];
const wholeOf = (kind: ProviderKind): object =>
  protocols('{}')
    .find((each) => each.kind === kind)
    ?.calls(calls) as object;

/** Chat completions: some servers add what the model thought, and some refuse the results without it. */
function completion(kind: 'openai' | 'openai-compatible', sent: object[]): Thinking {
  const whole = wholeOf(kind) as { choices: { message: object }[] };
  const [choice] = whole.choices;
  const message = { ...choice?.message, reasoning_content: thought };
  const [first = Buffer.alloc(0), ...rest] = streamedProtocols[kind].calls(calls);
  const deltas = ['The sea ', 'is far.'].map((reasoning_content) =>
    sse({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { reasoning_content } }],
    }),
  );
  return { whole: { ...whole, choices: [{ ...choice, message }] }, frames: [first, ...deltas, ...rest], sent };
}

const sealed = [
  { type: 'thinking', thinking: thought, signature: 'sealed-0001' },
  { type: 'redacted_thinking', data: 'sealed-0002' },
];
const block = (index: number, content_block: object, deltas: object[]): Buffer[] => [
  named({ type: 'content_block_start', index, content_block }),
  ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
  named({ type: 'content_block_stop', index }),
];
const [anthropicBegun = Buffer.alloc(0), ...anthropicRest] = streamedProtocols.anthropic.calls(calls);
const anthropic = wholeOf('anthropic') as { content: object[] };

const gemini = wholeOf('google') as { candidates: { content: { parts: object[] } }[] };
const [candidate] = gemini.candidates;
const geminiThought = { text: thought, thought: true, thoughtSignature: 'sealed-0003' };

const bedrock = wholeOf('amazon-bedrock') as { output: { message: { content: object[] } } };
const bedrockThought = { reasoningContent: { reasoningText: { text: thought, signature: 'sealed-0004' } } };
const [bedrockBegun = Buffer.alloc(0), ...bedrockRest] = streamedProtocols['amazon-bedrock'].calls(calls);

export const thinking = {
  openai: completion('openai', []),
  'openai-compatible': completion('openai-compatible', [{ reasoning_content: thought }]),
  anthropic: {
    whole: { ...anthropic, content: [...sealed, ...anthropic.content] },
    frames: [
      anthropicBegun,
      ...block(10, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'The sea ' },
        { type: 'thinking_delta', thinking: 'is far.' },
        { type: 'signature_delta', signature: 'sealed-0001' },
      ]),
      ...block(11, { type: 'redacted_thinking', data: 'sealed-0002' }, []),
      ...anthropicRest,
    ],
    sent: sealed,
  },
  google: {
    whole: {
      ...gemini,
      candidates: [{ ...candidate, content: { parts: [geminiThought, ...(candidate?.content.parts ?? [])] } }],
    },
    frames: [
      sse({ candidates: [{ content: { role: 'model', parts: [{ ...geminiThought, text: 'The sea ' }] }, index: 0 }] }),
      sse({ candidates: [{ content: { role: 'model', parts: [{ text: 'is far.', thought: true }] }, index: 0 }] }),
      ...streamedProtocols.google.calls(calls),
    ],
    sent: [geminiThought],
  },
  'amazon-bedrock': {
    whole: {
      ...bedrock,
      output: { message: { ...bedrock.output.message, content: [bedrockThought, ...bedrock.output.message.content] } },
    },
    frames: [
      bedrockBegun,
      ...[{ text: 'The sea ' }, { text: 'is far.' }, { signature: 'sealed-0004' }].map((reasoningContent) =>
        amazonFrame('event', 'contentBlockDelta', { contentBlockIndex: 9, delta: { reasoningContent } }),
      ),
      amazonFrame('event', 'contentBlockStop', { contentBlockIndex: 9 }),
      ...bedrockRest,
    ],
    sent: [bedrockThought],
  },
} satisfies Partial<Record<ProviderKind, Thinking>>;
