import { crc32 } from 'node:zlib';
import type { ProviderKind } from '../path/model/provider-kind.js';

interface StreamedCall {
  id: string;
  name: string;
  arguments: object;
}

/** How a provider streams an answer, frame by frame, as its documentation and recorded streams show it. */
export interface StreamedProtocol {
  path: string;
  type: string;
  /** Of a text in pieces: what opens the stream, a frame for each piece, and what says that it is over. */
  text: (pieces: string[]) => { open: Buffer[]; pieces: Buffer[]; end: Buffer[] };
  calls: (calls: StreamedCall[]) => Buffer[];
  /** An error within the stream. Null: its protocol has none. */
  error: Buffer | null;
}

export const sse = (data: unknown, event?: string): Buffer =>
  Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);

const halves = (value: object): string[] => {
  const json = JSON.stringify(value);
  return [json.slice(0, 5), json.slice(5)];
};

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): Buffer =>
  sse({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const completionUsage = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
const completionEnd = (reason: string): Buffer[] => [
  chunk({}, reason),
  sse({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], ...completionUsage }),
  Buffer.from('data: [DONE]\n\n'),
];
const completions: StreamedProtocol = {
  path: '/chat/completions',
  type: 'text/event-stream',
  text: (pieces) => ({
    open: [chunk({ role: 'assistant', content: '' })],
    pieces: pieces.map((content) => chunk({ content })),
    end: completionEnd('stop'),
  }),
  calls: (calls) => [
    chunk({ role: 'assistant', content: null }),
    ...calls.flatMap(({ id, name, arguments: given }, index) => {
      const [first, rest] = halves(given);
      return [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: rest } }] }),
      ];
    }),
    ...completionEnd('tool_calls'),
  ],
  error: sse({ error: { message: 'The server is overloaded', type: 'overloaded_error', code: 529 } }),
};
/** Its last chunk carries the usage, and a choice is never missing. */
const mistral: StreamedProtocol = {
  ...completions,
  text: (pieces) => ({
    ...completions.text(pieces),
    end: [chunk({ content: '' }, 'stop', completionUsage), Buffer.from('data: [DONE]\n\n')],
  }),
  calls: (calls) => [
    chunk({ role: 'assistant', content: '' }),
    chunk(
      {
        content: '',
        tool_calls: calls.map(({ id, name, arguments: given }, index) => ({
          id,
          index,
          function: { name, arguments: JSON.stringify(given) },
        })),
      },
      'tool_calls',
      completionUsage,
    ),
    Buffer.from('data: [DONE]\n\n'),
  ],
  error: null,
};

export const named = (data: { type: string; [field: string]: unknown }): Buffer => sse(data, data.type);
const begun = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
});
const anthropicEnd = (stop_reason: string): Buffer[] => [
  named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
  named({ type: 'message_stop' }),
];
const anthropic: StreamedProtocol = {
  path: '/messages',
  type: 'text/event-stream; charset=utf-8',
  text: (pieces) => ({
    open: [
      begun,
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      named({ type: 'ping' }),
    ],
    pieces: pieces.map((text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    end: [named({ type: 'content_block_stop', index: 0 }), ...anthropicEnd('end_turn')],
  }),
  calls: (calls) => [
    begun,
    ...calls.flatMap(({ id, name, arguments: given }, index) => [
      named({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }),
      ...halves(given).map((partial_json) =>
        named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
      ),
      named({ type: 'content_block_stop', index }),
    ]),
    ...anthropicEnd('tool_use'),
  ],
  error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
};

const gemini = (parts: object[], finishReason?: string): Buffer =>
  sse({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  });
const google: StreamedProtocol = {
  path: '/models/m:streamGenerateContent?alt=sse',
  type: 'text/event-stream',
  text: (pieces) => ({
    open: [],
    pieces: pieces.map((text) => gemini([{ text }])),
    end: [gemini([{ text: '' }], 'STOP')],
  }),
  calls: (calls) => [
    gemini(
      calls.map(({ name, arguments: args }, at) => ({ functionCall: { name, args }, thoughtSignature: `sig${at}` })),
      'STOP',
    ),
  ],
  error: sse({ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }),
};

/** One message of application/vnd.amazon.eventstream, with headers of the type string (7). */
export function amazonFrame(kind: 'event' | 'exception', type: string, payload: object): Buffer {
  const header = (name: string, value: string): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  };
  const headers = Buffer.concat([
    header(`:${kind}-type`, type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

const bedrockEnd = (stopReason: string): Buffer[] => [
  amazonFrame('event', 'messageStop', { stopReason }),
  amazonFrame('event', 'metadata', {
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    metrics: { latencyMs: 1 },
  }),
];
const bedrock: StreamedProtocol = {
  path: '/model/m/converse-stream',
  type: 'application/vnd.amazon.eventstream',
  text: (pieces) => ({
    open: [amazonFrame('event', 'messageStart', { role: 'assistant' })],
    pieces: pieces.map((text) => amazonFrame('event', 'contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
    end: [amazonFrame('event', 'contentBlockStop', { contentBlockIndex: 0 }), ...bedrockEnd('end_turn')],
  }),
  calls: (calls) => [
    amazonFrame('event', 'messageStart', { role: 'assistant' }),
    ...calls.flatMap(({ id, name, arguments: given }, contentBlockIndex) => [
      amazonFrame('event', 'contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }),
      ...halves(given).map((input) =>
        amazonFrame('event', 'contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input } } }),
      ),
      amazonFrame('event', 'contentBlockStop', { contentBlockIndex }),
    ]),
    ...bedrockEnd('tool_use'),
  ],
  error: amazonFrame('exception', 'throttlingException', { message: 'Too many requests, please wait.' }),
};

export const streamedProtocols: Readonly<Record<ProviderKind, StreamedProtocol>> = {
  openai: completions,
  azure: completions,
  'openai-compatible': completions,
  mistral,
  anthropic,
  google,
  'google-vertex': google,
  'amazon-bedrock': bedrock,
};
