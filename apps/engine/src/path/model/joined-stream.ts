import { parseKeepingNumbers } from '#libs/adapter-sdk';
import { type Fields, fieldsOf, partsOf, textOf } from './answer-parts.js';
import { depthOf } from './read-arguments.js';

const maxDepth = 100;

/** Whether a text begins as server-sent events do. Endpoints send them under any content type. */
export function beginsStream(text: string): boolean {
  return /^\ufeff?\s*(data|event|id|retry)?:/.test(text);
}

/**
 * The chat completion that the server-sent events of a stream add up to. It keeps what they say, not the events, which
 * are many times as long. A stream that breaks off before it says that it is over ends with `error`.
 */
export class JoinedStream {
  private rest = '';
  private over = false;
  private failed: unknown = null;
  private usage: unknown;
  private finish: unknown = null;
  private choices = 0;
  private readonly content: unknown[] = [];
  private refusal = '';
  private thought = '';
  private readonly calls = new JoinedCalls();

  /** @returns the text that this piece of the stream adds to the answer */
  add(piece: string): string {
    if (!/[\r\n]/.test(piece)) {
      this.rest += piece;
      return '';
    }
    const lines = (this.rest + piece).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? '';
    return lines.map((line) => this.read(line)).join('');
  }

  /** @returns what follows the last whole line */
  end(): string {
    const line = this.rest;
    this.rest = '';
    return this.read(line);
  }

  get completion(): unknown {
    const { usage, failed, finish, over } = this;
    if (failed) return { error: failed, usage };
    if (this.choices === 0) return { choices: [], usage };
    const { content, refusal, thought: reasoning_content, calls } = this;
    const message = { content, refusal, reasoning_content, tool_calls: calls.all };
    return { choices: [{ message, finish_reason: finish ?? (over ? null : 'error') }], usage };
  }

  private read(line: string): string {
    if (!line.startsWith('data:')) return '';
    const data = line.slice(5).trim();
    if (data === '[DONE]') this.over = true;
    const chunk = fieldsOf(data === '' || depthOf(data) > maxDepth ? null : parsed(data));
    if (!chunk) return '';
    this.failed ??= chunk['error'] || null;
    this.usage = chunk['usage'] || this.usage;
    const { choices } = chunk;
    const choice = fieldsOf(Array.isArray(choices) ? choices[0] : choices);
    if (!choice) return '';
    this.choices += 1;
    this.finish = choice['finish_reason'] || this.finish;
    const delta = fieldsOf(choice['delta'] ?? choice['message']);
    return delta ? this.take(delta) : '';
  }

  private take(delta: Fields): string {
    const { content, refusal, reasoning_content: thought, tool_calls: calls } = delta;
    const added: unknown[] = Array.isArray(content) ? content : [content ?? ''];
    for (const part of added) {
      const last = this.content.at(-1);
      if (typeof part === 'string' && typeof last === 'string') this.content.splice(-1, 1, last + part);
      else this.content.push(part);
    }
    if (typeof refusal === 'string') this.refusal += refusal;
    if (typeof thought === 'string') this.thought += thought;
    if (Array.isArray(calls)) for (const fragment of calls) this.calls.add(fragment);
    return partsOf(added).map(textOf).join('');
  }
}

/** Fragments of one call have its `index`; without one, those without an id of their own belong to the last call. */
class JoinedCalls {
  private readonly calls = new Map<unknown, { id: unknown; function: { name: string; arguments: unknown } }>();
  private last: unknown = null;

  add(fragment: unknown): void {
    const { index, id, function: given } = fieldsOf(fragment) ?? {};
    this.last = typeof index === 'number' ? index : (id ?? this.last);
    const part = fieldsOf(given) ?? {};
    const call = this.calls.get(this.last) ?? { id, function: { name: '', arguments: undefined } };
    this.calls.set(this.last, call);
    call.id ??= id;
    const { name } = part;
    if (typeof name === 'string' && name !== call.function.name) call.function.name += name;
    const before = call.function.arguments;
    const more = part['arguments'];
    call.function.arguments = typeof before === 'string' && typeof more === 'string' ? before + more : (more ?? before);
  }

  get all(): unknown[] {
    return [...this.calls.values()];
  }
}

function parsed(data: string): unknown {
  try {
    return parseKeepingNumbers(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
