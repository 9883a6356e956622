import type { FinishReason, ToolCall } from './model.js';
import { readArguments } from './read-arguments.js';

/** A JSON object whose fields have not been checked. */
export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The parts of a message's content: a text, a list of parts, or one part. */
export function partsOf(content: unknown): Fields[] {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts.flatMap((part): Fields[] => {
    if (typeof part === 'string' || typeof part === 'number') return [{ type: 'text', text: String(part) }];
    const fields = fieldsOf(part);
    return fields ? [fields] : [];
  });
}

/** The text of a part; empty for thoughts, calls and refusals. */
export function textOf({ type, text, content }: Fields): string {
  if (typeof type === 'string' && !/^(|output_|input_)text$/.test(type)) return '';
  const written = text ?? content;
  const value = fieldsOf(written)?.['value'] ?? written;
  return typeof value === 'string' ? value : '';
}

/** The calls of a message: in `tool_calls`, in `function_call` (the older form), or among the parts of its content. */
export function callsOf(message: Fields, parts: Fields[]): ToolCall[] {
  const listed = message['tool_calls'];
  const single = fieldsOf(listed);
  const calls = single ? (isCall(single) ? [single] : Object.values(single)) : listed;
  const older = fieldsOf(message['function_call']);
  const inContent = parts.filter(({ type }) => type === 'tool_use' || type === 'tool_call' || type === 'function_call');
  return [...(Array.isArray(calls) ? (calls as unknown[]) : []), ...(older ? [older] : []), ...inContent].flatMap(
    (call) => {
      const fields = fieldsOf(call);
      return fields ? [callOf(fields)] : [];
    },
  );
}

function isCall(fields: Fields): boolean {
  return 'function' in fields || 'name' in fields;
}

/** A call without a name keeps an empty one: no tool has it, so the model is informed. */
function callOf(fields: Fields): ToolCall {
  const inner = fieldsOf(fields['function']) ?? fields;
  const { name } = inner;
  const id = fields['id'] ?? fields['call_id'];
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 200) : '',
    name: typeof name === 'string' ? name.slice(0, 200) : '',
    arguments: readArguments(inner['arguments'] ?? inner['parameters'] ?? inner['input']),
  };
}

/** How servers say why an answer ended. */
const finishes: [RegExp, FinishReason][] = [
  [/^(stop|end_turn|eos|eos_token|end|stop_sequence|complete|completed|done)$/, 'stop'],
  [/^(length|max_tokens|max_output_tokens|model_length|token_limit|max_length)$/, 'length'],
  [
    /content.?filter|^(safety|recitation|blocklist|prohibited_content|spii|sensitive|refusal|guardrail\w*)$/,
    'content-filter',
  ],
  [/^(tool_calls?|function_calls?|tool_use)$/, 'tool-calls'],
  [/error|^(abort|aborted|cancelled|canceled|insufficient_system_resource|malformed_function_call)$/, 'error'],
];

export function finishOf(given: unknown, calls: number): FinishReason {
  if (typeof given === 'string') {
    const found = finishes.find(([pattern]) => pattern.test(given.toLowerCase()));
    if (found) return found[1];
  }
  return calls > 0 ? 'tool-calls' : 'other';
}
