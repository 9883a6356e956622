import type { Completion, Model, ModelMessage } from '../model/model.js';
import type { ModelPrices } from '../model/model-prices.js';
import type { Step } from '../turns/step.entity.js';
import type { Spent } from '../turns/new-step.js';
import type { CallGuard } from './call-guard.js';
import type { CallMaker } from './call-maker.js';
import { close, type OpenStep, replay, withUniqueIds } from './replay.js';
import type { StepLog } from './step-log.js';

export interface LoopInput {
  model: Model;
  prices: ModelPrices;
  calls: CallMaker;
  guard: CallGuard;
  messages: ModelMessage[];
  /** Steps that an earlier claim of the turn has stored. */
  stored: Step[];
  log: StepLog;
  maxSteps: number;
  /** What the turn may use; over it the model has one more call, without tools. */
  maxTokens: number;
  maxCostMicros: number;
  signal: AbortSignal;
}

export interface LoopResult {
  text: string;
  model: string;
  modelCalls: number;
}

/**
 * Model, tools, model, … until the model answers without a call; the last step has no tools, so a turn never ends empty
 * for want of steps. The intent of a call is committed before it and its result after it: whoever takes the turn over
 * knows which calls were made, and makes none twice whose outcome it does not know.
 * @throws ModelError, LeaseLost, ApprovalNeeded, or the signal's reason
 */
export async function runLoop(input: LoopInput): Promise<LoopResult> {
  const { model, calls, guard, log, messages, signal } = input;
  const before = replay(input.stored, messages, guard);
  calls.tainted = before.tainted;
  calls.reveal(before.revealed);
  let { modelCalls } = before;
  if (before.open) await makeCalls(calls, before.open, messages);
  for (;;) {
    signal.throwIfAborted();
    modelCalls += 1;
    const spent = log.tokens >= input.maxTokens || log.costMicros >= input.maxCostMicros;
    const toolsOff = guard.exhausted || spent || modelCalls >= input.maxSteps;
    const startedMs = performance.now();
    const completion = withUniqueIds(await model.complete(messages, toolsOff ? [] : calls.offered, signal));
    const asked = toolsOff ? [] : completion.tool_calls;
    const { text, finish_reason } = completion;
    const seq = log.add(
      'model_call',
      { text, tool_calls: asked, model: completion.model, finish_reason },
      { spent: spentBy(completion, input.prices), durationMs: performance.now() - startedMs },
    );
    if (asked.length === 0) return { text: text.trim(), model: completion.model, modelCalls };
    messages.push({ role: 'assistant', content: text, tool_calls: asked });
    await makeCalls(calls, { seq, calls: asked, results: new Map(), begun: new Map() }, messages);
  }
}

async function makeCalls(calls: CallMaker, step: OpenStep, messages: ModelMessage[]): Promise<void> {
  await calls.make(step);
  close(step, messages);
}

function spentBy({ input_tokens, output_tokens, model }: Completion, prices: ModelPrices): Spent {
  return { input_tokens, output_tokens, cost_micros: prices.costMicros(model, input_tokens, output_tokens) };
}
