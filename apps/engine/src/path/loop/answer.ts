import { nothingToSay, type ReplyMark, type TurnInput, type TurnLimit } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { type KnownTargets, linksIn, type SanitizedReply, sanitizeReply, type SanitizerReport } from '#libs/sanitizer';
import { compileSchema } from '#libs/tool-schema';
import type { RunOutputProblem } from '#libs/views';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Completion, type FinishReason, type ModelMessage, noReplyWord } from '../model/model.js';
import { jsonIn } from '../model/read-arguments.js';

/** The result of a turn's last model call. */
export type Answer =
  | { is: 'text'; text: string; reason: ReplyMark | null }
  | { is: 'nothing'; reason: typeof nothingToSay }
  /** It reached its length limit before it said anything. A shorter conversation may leave it room. */
  | { is: 'too_long' }
  /** `retry`: another try may succeed. */
  | { is: 'failed'; code: string; message: string; retry: boolean };

/** The endpoint ended the answer, not the model. */
const brokenOff: ReadonlySet<FinishReason> = new Set(['error', 'interrupted']);

/** Appended to a text that the model could not finish. */
const cutMark = '\n\n[…]';

/**
 * Maps how the model call ended to how the turn ends; docs/agents.md has the table.
 * @param reply the text as it may go out; `spoken` is empty when the model only thought
 * @param limit what stopped the tools, or null
 * @param called the turn has called tools, so an empty answer is allowed
 */
export function answerOf(
  { finish_reason, refusal }: Completion,
  reply: Pick<SanitizedReply, 'text' | 'spoken'>,
  limit: TurnLimit | null,
  called: boolean,
): Answer {
  const text = reply.spoken === '' ? '' : reply.text.trim();
  if (refusal !== undefined) return failed('model_refused', 'the model refused to answer');
  if (finish_reason === 'content-filter') return failed('content_filter', 'a content filter blocked the answer');
  if (brokenOff.has(finish_reason))
    return { ...failed('model_malformed', 'the model broke off its answer'), retry: true };
  if (reply.spoken === noReplyWord) return { is: 'nothing', reason: nothingToSay };
  if (finish_reason === 'length') {
    return text === '' ? { is: 'too_long' } : { is: 'text', text: `${text}${cutMark}`, reason: 'length_cut' };
  }
  if (text !== '') return { is: 'text', text, reason: limit };
  if (limit !== null) return failed(limit, 'the model gave no final answer without tools');
  if (called && finish_reason === 'stop') return { is: 'nothing', reason: nothingToSay };
  return failed('empty_answer', `the model gave an empty answer: it finished with ${finish_reason}`);
}

/** Calls in an answer that was broken off are incomplete and are not made. */
export function unfinished({ finish_reason }: Completion): boolean {
  return finish_reason === 'content-filter' || brokenOff.has(finish_reason);
}

function failed(code: string, message: string): Extract<Answer, { is: 'failed' }> {
  return { is: 'failed', code, message, retry: false };
}

/** What a `model_call` step keeps of the answer. */
export function stepOf(
  { text, model, finish_reason, refusal, insteadOf, cached_tokens, thoughts, estimated = false }: Completion,
  asked: Completion['tool_calls'],
  answer: Answer | null,
  value: CheckedOutput | null,
): Record<string, unknown> {
  const refused = refusal === undefined ? {} : { refusal };
  const instead = insteadOf ? { instead_of: insteadOf } : {};
  const cached = cached_tokens === undefined ? {} : { cached_tokens };
  const shown = {
    text,
    tool_calls: asked,
    model,
    finish_reason,
    ...refused,
    ...instead,
    ...cached,
    ...(thoughts && asked.length > 0 ? { thoughts } : {}),
    ...markOf({ estimated }),
  };
  if (value && 'problems' in value) return { ...shown, discarded: 'output_invalid', problems: value.problems };
  if (answer?.is === 'too_long') return { ...shown, discarded: 'empty_at_length' };
  return answer?.is === 'failed' ? { ...shown, discarded: answer.code } : shown;
}

export function markOf({ estimated }: { estimated?: boolean }): { tokens_estimated?: true } {
  return estimated === true ? { tokens_estimated: true } : {};
}

/** Changes that remove nothing a person would see. */
const unseen: readonly string[] = ['nfc', 'line_ends'];
/** Without so long a run of characters, a text has no long link. */
const mayHoldLongLink = /\S{256}/;

/**
 * Sanitises what the model wrote before it goes out. Images may be shown from hosts that the agent's Skills bind. An
 * image that the message links may be shown only under that exact address: the message may be a stranger's, and another
 * address on the same host could carry data out.
 */
export class ReplyCleaner {
  private readonly namedLinks: ReadonlySet<string>;

  constructor(
    private readonly allowedHosts: readonly string[],
    input: TurnInput,
  ) {
    this.namedLinks = new Set([...(input.earlier ?? []), input.message].flatMap((each) => linksIn(each.message)));
  }

  /** @param read what the model was shown in this turn */
  clean(text: string, read: readonly ModelMessage[]): SanitizedReply {
    const { allowedHosts, namedLinks } = this;
    const readLinks = mayHoldLongLink.test(text) ? new Set(read.flatMap(linksOf)) : new Set<string>();
    const known: KnownTargets = { allowedHosts, namedLinks, readLinks };
    return sanitizeReply(text, known);
  }
}

/** Excludes the model's own messages, which it wrote rather than read. */
function linksOf(message: ModelMessage): string[] {
  if (message.role === 'assistant') return [];
  return linksIn(message.role === 'tool' ? (JSON.stringify(message.result) ?? '') : message.content);
}

/** What was removed, by rule; null when a person would notice nothing. */
export function takenAway({ counts, settled }: SanitizerReport): Record<string, number> | null {
  if (!settled) return { withheld: 1 };
  const taken = Object.entries(counts).filter(([rule]) => !unseen.includes(rule));
  return taken.length === 0 ? null : Object.fromEntries(taken);
}

export type Output = Record<string, unknown>;
export type CheckedOutput = { output: Output } | { problems: RunOutputProblem[] };

const maxProblems = 5;
const maxWords = 300;

/** Schemas that are kept compiled. */
const maxKept = 200;

export class OutputChecks {
  private readonly known = new Map<string, OutputCheck>();

  /** @throws PermanentFailure `output_invalid` for a schema that cannot be used */
  of(schema: Output): OutputCheck {
    const key = JSON.stringify(schema);
    const known = this.known.get(key) ?? compiled(schema);
    if (this.known.size >= maxKept) this.known.clear();
    this.known.set(key, known);
    return known;
  }
}

function compiled(schema: Output): OutputCheck {
  try {
    return new OutputCheck(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PermanentFailure('output_invalid', `the output schema cannot be used: ${why}`);
  }
}

/** Reads a run's answer as the value that its workflow declares. */
export class OutputCheck {
  private readonly check: ValidateFunction;

  /** @throws Error for an invalid schema */
  constructor(readonly schema: Output) {
    this.check = compileSchema(schema, true);
  }

  /**
   * @param texts the model's answer, as it is and without its thoughts: the first that is JSON counts
   * @param clean makes each text in it fit to go out: it may stand in a channel, or in a page of another system
   */
  read(texts: string[], clean: (text: string) => string): CheckedOutput {
    const value = texts.map(jsonIn).find((each) => each !== undefined);
    if (value === undefined) return { problems: [{ pointer: '', message: 'is not one JSON value' }] };
    const output = mapTexts(value, clean);
    if (this.check(output)) return { output: output as Output };
    return { problems: (this.check.errors ?? []).slice(0, maxProblems).map(problemOf) };
  }
}

/** Has the model answer once more. */
export function repairOf(text: string, problems: RunOutputProblem[]): ModelMessage[] {
  const asked = `Your answer does not hold to the JSON Schema: ${wordsOfProblems(problems)}. Answer with the whole object again, corrected.`;
  return [
    { role: 'assistant', content: text.trim() === '' ? '(no answer)' : text, tool_calls: [] },
    { role: 'user', content: asked },
  ];
}

/** The problems as one text, for people and for the model. */
export function wordsOfProblems(problems: RunOutputProblem[]): string {
  return problems.map(({ pointer, message }) => `${pointer === '' ? 'the answer' : pointer} ${message}`).join('; ');
}

function problemOf({ instancePath, message = 'is not valid', params }: ErrorObject): RunOutputProblem {
  const { allowedValues, allowedValue, additionalProperty, missingProperty } = params as Record<string, unknown>;
  if (missingProperty !== undefined) return { pointer: below(instancePath, missingProperty), message: 'is missing' };
  if (additionalProperty !== undefined) {
    return { pointer: below(instancePath, additionalProperty), message: 'is not in the schema' };
  }
  const named = allowedValues ?? allowedValue;
  const text = named === undefined ? message : `${message} (${JSON.stringify(named)})`;
  return { pointer: instancePath.slice(0, maxWords), message: text.slice(0, maxWords) };
}

/** By RFC 6901. */
function below(pointer: string, name: unknown): string {
  return `${pointer}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`.slice(0, maxWords);
}

/** Names of properties are texts too. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [map(name), mapTexts(each, map)]));
}
