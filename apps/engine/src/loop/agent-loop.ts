import type { Completion, Model, ModelMessage, ToolCall } from '../model/model.js';
import { failure, type Tool, type ToolGrade } from '../tools/tool.js';
import type { Toolbox } from '../tools/toolbox.js';
import type { Step } from '../turns/step.entity.js';
import { CallGuard } from './call-guard.js';
import type { StepLog } from './step-log.js';

export interface LoopInput {
  model: Model;
  toolbox: Toolbox;
  tools: Tool[];
  mayDo: ToolGrade;
  messages: ModelMessage[];
  /** Steps that an earlier claim of the turn has stored. */
  stored: Step[];
  log: StepLog;
  maxSteps: number;
  maxToolCalls: number;
  signal: AbortSignal;
}

export interface LoopResult {
  text: string;
  model: string;
  modelCalls: number;
}

interface ModelCallContent extends Record<string, unknown> {
  text: string;
  tool_calls: ToolCall[];
  model: string;
  finish_reason: string;
}

/**
 * Model, tools, model, … until the model answers without a call; the last step has no tools, so a turn never ends empty
 * for want of steps. The intent of a call is committed before it and its result after it: whoever takes the turn over
 * knows which calls were made, and makes none twice whose outcome it does not know.
 * @throws ModelError, LeaseLost, or the signal's reason
 */
export async function runLoop(input: LoopInput): Promise<LoopResult> {
  const { model, tools, log, messages, signal } = input;
  const guard = new CallGuard(input.maxToolCalls);
  let modelCalls = await resume(input, guard);
  for (;;) {
    modelCalls += 1;
    const toolsOff = guard.exhausted || modelCalls >= input.maxSteps;
    const startedMs = performance.now();
    const completion = await model.complete(messages, toolsOff ? [] : tools, signal);
    log.add('model_call', contentOf(completion), tokensOf(completion), performance.now() - startedMs);
    const calls = toolsOff ? [] : completion.tool_calls;
    if (calls.length === 0) return { text: completion.text.trim(), model: completion.model, modelCalls };
    messages.push({ role: 'assistant', content: completion.text, tool_calls: calls });
    for (const call of calls) await makeCall(input, guard, call);
  }
}

async function makeCall(input: LoopInput, guard: CallGuard, call: ToolCall): Promise<void> {
  const { log, toolbox, tools, mayDo, signal } = input;
  signal.throwIfAborted();
  const refused = guard.refuse(call);
  const checked = refused ?? toolbox.check(call, tools, mayDo);
  if ('error' in checked) return record(input, call, checked, null);
  log.add('tool_call', { call_id: call.id, name: call.name, arguments: call.arguments });
  await log.commit();
  const startedMs = performance.now();
  const result = await checked.tool.run(checked.args, signal);
  record(input, call, result, performance.now() - startedMs);
  await log.commit();
}

function record({ log, messages }: LoopInput, call: ToolCall, result: unknown, durationMs: number | null): void {
  log.add('tool_result', { call_id: call.id, name: call.name, result }, null, durationMs);
  messages.push({ role: 'tool', call_id: call.id, name: call.name, result });
}

/** Puts the stored steps back into the conversation and finishes the calls of the last one. @returns model calls so far */
async function resume(input: LoopInput, guard: CallGuard): Promise<number> {
  const { stored, messages } = input;
  let modelCalls = 0;
  let open: ToolCall[] = [];
  const begun = new Set<string>();
  for (const step of stored) {
    if (step.kind === 'model_call') {
      modelCalls += 1;
      const content = step.content as ModelCallContent;
      messages.push({ role: 'assistant', content: content.text, tool_calls: content.tool_calls });
      open = [...content.tool_calls];
      begun.clear();
    } else if (step.kind === 'tool_call') {
      begun.add(String(step.content['call_id']));
    } else if (step.kind === 'tool_result') {
      const done = open.find((call) => call.id === step.content['call_id']);
      if (!done) continue;
      open = open.filter((call) => call !== done);
      guard.refuse(done);
      messages.push({ role: 'tool', call_id: done.id, name: done.name, result: step.content['result'] });
    }
  }
  for (const call of open) {
    if (begun.has(call.id) && !mayRepeat(input, call)) {
      guard.refuse(call);
      record(
        input,
        call,
        failure('outcome_unknown', 'The call was begun and interrupted: it may have had its effect.'),
        null,
      );
    } else {
      await makeCall(input, guard, call);
    }
  }
  return modelCalls;
}

function mayRepeat({ toolbox, tools, mayDo }: LoopInput, call: ToolCall): boolean {
  const checked = toolbox.check(call, tools, mayDo);
  return !('error' in checked) && checked.tool.idempotent(checked.args);
}

function contentOf({ text, tool_calls, model, finish_reason }: Completion): ModelCallContent {
  return { text, tool_calls, model, finish_reason };
}

function tokensOf({ input_tokens, output_tokens }: Completion): number {
  return input_tokens + output_tokens;
}
