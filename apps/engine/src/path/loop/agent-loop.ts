import { leastTrusted, type nothingToSay, type ReplyMark, type TurnLimit } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { inSpan } from '#libs/telemetry';
import { type Completion, type Model, ModelError, type PassedModel, type UnreadAnswer } from '../model/model.js';
import type { ModelPrices, ModelSpending } from '../model/model-spending.js';
import type { LearnedWindow } from '../compaction/compactor.service.js';
import type { TurnPreview } from '../previews/previews.service.js';
import type { Conversation } from '../prompt/conversation.js';
import type { Step } from '../../entities/turn.entity.js';
import {
  type Answer,
  answerOf,
  type CheckedOutput,
  markOf,
  type Output,
  type OutputCheck,
  repairOf,
  type ReplyCleaner,
  stepOf,
  takenAway,
  unfinished,
  wordsOfProblems,
} from './answer.js';
import type { CallGuard } from './call-guard.js';
import type { CallMaker } from './call-maker.js';
import { close, type Listener, type OpenStep, replay, withUniqueIds } from './replay.js';
import type { StepLog } from '../steps/step-log.js';

/** What a call of the model may use of a day's budget. */
export interface NextCall {
  /** The one that is called. */
  model: Pick<Model, 'name' | 'listPrice'>;
  inputChars: number;
  /** What the turn has used and not stored yet: it is not counted as used. */
  unstored: { tokens: number; costMicros: number };
  /** The claim has done nothing yet, so the turn can wait. */
  first: boolean;
}

export interface LoopInput {
  model: Model;
  prices: ModelPrices;
  spending: ModelSpending;
  calls: CallMaker;
  guard: CallGuard;
  conversation: Conversation;
  cleaner: ReplyCleaner;
  /** What the answer has to hold to; null: it is a text. */
  output: OutputCheck | null;
  /** Steps that an earlier claim of the turn has stored. */
  stored: Step[];
  log: StepLog;
  /** For those who follow the turn; null: nobody can. */
  preview: TurnPreview | null;
  maxSteps: number;
  /** Limits of the turn. Once they are exceeded, the model gets one more call, without tools. */
  maxTokens: number;
  maxCostMicros: number;
  /** Reserves the day's budget for a call; null: no limit of the day holds. False: the turn has to end. */
  reserve: ((call: NextCall) => Promise<boolean>) | null;
  /** How often the conversation may be shortened when the model says that it is too long. */
  maxShortenings: number;
  /** What the model takes, as far as it is known. */
  window: LearnedWindow;
  signal: AbortSignal;
  /** Models of the chain that gave no answer. */
  passed: PassedModel[];
  /** Called once for each of them, for the timeline. */
  onPassed: (answered: string, passed: PassedModel) => void;
  /** Called at each shortening, for the timeline. */
  onShortened: (level: number, leftOutChars: number) => void;
}

export interface LoopResult {
  /** Empty where there is nothing to say. */
  text: string;
  reason: ReplyMark | typeof nothingToSay | null;
  /** The answer as a value; null: none was asked for. */
  output: Output | null;
  /** What was removed from the text, by rule; null when nothing was. */
  cleaned: Record<string, number> | null;
  model: string;
}

/**
 * Alternates between model and tools until the model answers without a call. The last step offers no tools, so a turn
 * never ends empty because it ran out of steps. The intent of a call is committed before the call and its result after
 * it. So whoever takes the turn over knows which calls were made and does not repeat one whose outcome is unknown,
 * unless it is idempotent.
 * @throws ModelError, PermanentFailure with why there is no answer, LeaseLost, ApprovalNeeded, or the signal's reason
 */
export async function runLoop(input: LoopInput): Promise<LoopResult> {
  const { calls, guard, log, conversation, cleaner, signal } = input;
  conversation.shortenTo(levelIn(input.stored));
  const before = replay(input.stored, conversation, guard);
  calls.readTrust = before.readTrust;
  calls.imageBytes = before.imageBytes;
  calls.reveal(before.revealed);
  let called = input.stored.some((step) => step.kind === 'tool_call');
  let repaired = input.stored.some((step) => step.content['discarded'] === 'output_invalid');
  if (before.open) {
    const window = leastTrusted(conversation.trust, before.open.window);
    await makeCalls(calls, { ...before.open, window }, conversation);
  }
  await fit(input);
  for (let first = true; ; first = false) {
    signal.throwIfAborted();
    const limit = limitOf(input) ?? (await dayLimitOf(input, first));
    const startedMs = performance.now();
    const completion = await ask(input, limit);
    if (completion === null) continue;
    const asked =
      limit === null && !unfinished(completion) ? completion.tool_calls.map((call) => calls.read(call)) : [];
    const reply = asked.length === 0 ? cleaner.clean(completion.text, conversation.messages) : null;
    const answer = reply && answerOf(completion, reply, limit, called);
    const value = reply && answer && valueIn(input, completion.text, reply.spoken, answer);
    const spent = input.prices.spentBy(completion);
    input.spending.spent(spent);
    const seq = log.add(
      'model_call',
      { ...stepOf(completion, asked, answer, value), ...input.prices.basisOf(completion), ...calls.firstFacts() },
      {
        spent,
        durationMs: performance.now() - startedMs,
      },
    );
    if (answer === null) {
      called = true;
      input.preview?.calling(asked.map(({ name }) => name));
      const { text: content, thoughts } = completion;
      conversation.push({ role: 'assistant', content, tool_calls: asked, ...(thoughts ? { thoughts } : {}) });
      const step = { seq, calls: asked, results: new Map(), images: new Map(), begun: new Map(), window: calls.window };
      await makeCalls(calls, step, conversation);
    } else if (answer.is === 'too_long') {
      const message = 'the model reached its length limit before it wrote an answer';
      await shorten(input, new PermanentFailure('empty_at_length', message));
    } else if (answer.is === 'failed') {
      await log.commit();
      if (answer.retry) throw new ModelError('model_malformed', answer.message);
      throw new PermanentFailure(answer.code, answer.message);
    } else if (value && 'problems' in value) {
      await log.commit();
      if (repaired || limit !== null) {
        const message = `the answer does not hold to the output schema: ${wordsOfProblems(value.problems)}`;
        throw new PermanentFailure('output_invalid', message);
      }
      repaired = true;
      for (const message of repairOf(completion.text, value.problems)) conversation.push(message);
    } else {
      const { reason } = answer;
      const { model } = completion;
      const cleaned = reply && takenAway(reply.report);
      if (value) return { text: JSON.stringify(value.output, null, 2), output: value.output, reason, cleaned, model };
      if (answer.is === 'nothing') return { text: '', output: null, reason, cleaned: null, model };
      return { text: answer.text, output: null, reason, cleaned, model };
    }
  }
}

/** @returns null when the conversation was too long and has been shortened */
async function ask(input: LoopInput, limit: TurnLimit | null): Promise<Completion | null> {
  const { model, conversation, calls, signal, spending, preview, output } = input;
  const beganMs = performance.now();
  try {
    const offered = limit ? [] : calls.offered;
    preview?.begin(input.log.next);
    const chars = charsOf(input);
    const completion = await inSpan('model', 'client', { 'gatehouse.tools_offered': offered.length }, () =>
      model.complete(conversation.messages, offered, signal, {
        ...(preview ? { sink: preview } : {}),
        ...(output ? { output: output.schema } : {}),
      }),
    );
    spending.ended('ok', performance.now() - beganMs);
    if (completion.estimated !== true) input.window.used(chars, completion.input_tokens);
    addUnread(input, completion.unread ?? []);
    notePassed(input, completion);
    return withUniqueIds(completion);
  } catch (error) {
    spending.ended(error instanceof ModelError ? error.code : 'aborted', performance.now() - beganMs);
    if (!(error instanceof ModelError)) throw error;
    addUnread(input, error.unread);
    if (error.code === 'context_length') {
      await input.window.refused(charsOf(input), error.message);
      await shorten(input, error);
      return null;
    }
    await input.log.commit();
    throw error;
  }
}

function notePassed({ onPassed, passed }: LoopInput, { model, insteadOf = [] }: Completion): void {
  for (const each of insteadOf.slice(passed.length)) {
    passed.push(each);
    onPassed(model, each);
  }
}

/** An answer that could not be read is a step and counts, so no limit and no budget is evaded by it. */
function addUnread({ log, prices, spending }: LoopInput, answers: UnreadAnswer[]): void {
  for (const answer of answers) {
    const spent = prices.spentBy(answer);
    spending.spent(spent);
    const { model, why, excerpt, estimated } = answer;
    const shown = { text: '', tool_calls: [], model, finish_reason: 'error', discarded: 'model_malformed' };
    log.add('model_call', { ...shown, why, excerpt, ...markOf({ estimated }), ...prices.basisOf(answer) }, { spent });
  }
}

/** Shows as much as the model took before. What cannot be shortened is tried as it is. */
async function fit(input: LoopInput): Promise<void> {
  const { chars } = input.window;
  while (chars !== null && charsOf(input) > chars && input.log.counted('shortened') < input.maxShortenings) {
    const why = new PermanentFailure('context_length', `the model refused more than about ${chars} characters before`);
    if (!(await shorten(input, why, false))) return;
  }
}

function charsOf({ conversation, calls }: LoopInput): number {
  return conversation.chars + JSON.stringify(calls.offered).length;
}

/**
 * Shows the model less from here on, in later claims too.
 * @returns whether it could
 * @throws `why` when it cannot be shortened further, but must be
 */
async function shorten(
  { conversation, log, maxShortenings, onShortened }: LoopInput,
  why: Error,
  must = true,
): Promise<boolean> {
  const next = log.counted('shortened') < maxShortenings ? conversation.shorten() : null;
  if (next) log.add('shortened', { ...next, reason: why.message });
  await log.commit();
  if (!next && must) throw why;
  if (next) onShortened(next.level, next.left_out_chars);
  return next !== null;
}

function levelIn(stored: Step[]): number {
  return Number(stored.findLast((step) => step.kind === 'shortened')?.content['level'] ?? 0);
}

/** Why the next step gets no tools, or null. */
function limitOf({ guard, log, maxTokens, maxCostMicros, maxSteps }: LoopInput): TurnLimit | null {
  if (guard.exhausted) return 'calls_exhausted';
  if (log.tokens >= maxTokens || log.costMicros >= maxCostMicros) return 'budget_spent';
  return log.counted('model_call') + 1 >= maxSteps ? 'steps_exhausted' : null;
}

/** The last answer needs no reservation of its own: each call reserves one more. */
async function dayLimitOf(input: LoopInput, first: boolean): Promise<TurnLimit | null> {
  const { reserve, log, model } = input;
  if (!reserve) return null;
  return (await reserve({ model, inputChars: charsOf(input), unstored: log.unstored, first })) ? null : 'budget_spent';
}

/** The answer as the value that was asked for; null: none was, or there is no answer. */
function valueIn(
  { output, cleaner, conversation }: LoopInput,
  written: string,
  spoken: string,
  answer: Answer,
): CheckedOutput | null {
  if (!output || answer.is === 'failed' || answer.is === 'too_long') return null;
  if (answer.reason === 'length_cut') {
    return { problems: [{ pointer: '', message: 'was cut off at the length limit of the model' }] };
  }
  return output.read([written, spoken], (text) => cleaner.clean(text, conversation.messages).text);
}

async function makeCalls(calls: CallMaker, step: OpenStep, conversation: Listener): Promise<void> {
  await calls.make(step);
  close(step, conversation);
}
