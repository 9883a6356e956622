import { type Fields, fieldsOf } from './answer-parts.js';
import { depthOf } from './read-arguments.js';

const maxDepth = 100;

/**
 * The chat completion that the server-sent events of a stream add up to. Some endpoints stream although nobody asked
 * for it. A stream that breaks off before it says that it is over ends with `error`.
 */
export function joinedStream(text: string): unknown {
  const chunks: Fields[] = [];
  let over = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice(5).trim();
    if (data === '[DONE]') over = true;
    const chunk = fieldsOf(data === '' || depthOf(data) > maxDepth ? null : parsed(data));
    if (chunk) chunks.push(chunk);
  }
  const failed = chunks.find((chunk) => chunk['error']);
  const usage = chunks.findLast((chunk) => chunk['usage'])?.['usage'];
  if (failed) return { error: failed['error'], usage };
  const choices = chunks.flatMap(({ choices: each }) => fieldsIn(Array.isArray(each) ? each[0] : each));
  if (choices.length === 0) return { choices: [], usage };
  const deltas = choices.flatMap((choice) => fieldsIn(choice['delta'] ?? choice['message']));
  const finish = choices.findLast((choice) => choice['finish_reason'])?.['finish_reason'];
  const message = {
    content: deltas.flatMap(({ content }) => (Array.isArray(content) ? (content as unknown[]) : [content ?? ''])),
    refusal: joined(deltas.map(({ refusal }) => refusal)),
    tool_calls: joinedCalls(
      deltas.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? (calls as unknown[]) : [])),
    ),
  };
  return { choices: [{ message, finish_reason: finish ?? (over ? null : 'error') }], usage };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** Fragments of one call have its `index`; without one, those without an id of their own belong to the last call. */
function joinedCalls(fragments: unknown[]): unknown[] {
  const calls = new Map<unknown, { id: unknown; function: { name: string; arguments: unknown } }>();
  let last: unknown = null;
  for (const fragment of fragments) {
    const { index, id, function: given } = fieldsOf(fragment) ?? {};
    last = typeof index === 'number' ? index : (id ?? last);
    const part = fieldsOf(given) ?? {};
    const call = calls.get(last) ?? { id, function: { name: '', arguments: undefined } };
    calls.set(last, call);
    call.id ??= id;
    const { name } = part;
    if (typeof name === 'string' && name !== call.function.name) call.function.name += name;
    const before = call.function.arguments;
    const more = part['arguments'];
    call.function.arguments = typeof before === 'string' && typeof more === 'string' ? before + more : (more ?? before);
  }
  return [...calls.values()];
}

function fieldsIn(value: unknown): Fields[] {
  const fields = fieldsOf(value);
  return fields ? [fields] : [];
}

function joined(texts: unknown[]): string {
  return texts.filter((text) => typeof text === 'string').join('');
}
