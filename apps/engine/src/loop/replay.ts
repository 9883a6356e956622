import type { Completion, ModelMessage, ToolCall } from '../model/model.js';
import type { Step } from '../steps/step.entity.js';
import type { CallGuard } from './call-guard.js';

/** What a `model_call` step keeps. */
export interface ModelCallContent extends Record<string, unknown> {
  text: string;
  tool_calls: ToolCall[];
  model: string;
  finish_reason: string;
  /** Why the answer came to nothing and is not shown to the model again. Absent: it counts. */
  discarded?: string;
}

/** Where what was said goes. */
export interface Listener {
  push(message: ModelMessage): unknown;
}

/** The calls of one model step, as far as they have come. */
export interface OpenStep {
  seq: number;
  calls: ToolCall[];
  /** Results by call id. */
  results: Map<string, unknown>;
  /** Steps of the calls that were begun and gave no result, by call id. */
  begun: Map<string, number>;
  /** The model had read untrusted content when it asked for them. */
  tainted: boolean;
}

/**
 * Puts the stored steps of earlier claims back into the conversation.
 * @returns model calls so far, and the last step's calls when some have no result
 */
export function replay(stored: Step[], messages: Listener, guard: CallGuard): Replayed {
  let open: OpenStep | null = null;
  const replayed: Replayed = { modelCalls: 0, open: null, tainted: false, revealed: [] };
  for (const step of stored) {
    const callId = String(step.content['call_id']);
    if (step.kind === 'model_call') {
      if (open) close(open, messages);
      const content = step.content as ModelCallContent;
      replayed.modelCalls += 1;
      open = null;
      if (content.discarded !== undefined) continue;
      messages.push({ role: 'assistant', content: content.text, tool_calls: content.tool_calls });
      open = {
        seq: step.seq,
        calls: content.tool_calls,
        results: new Map(),
        begun: new Map(),
        tainted: replayed.tainted,
      };
    } else if (step.kind === 'tool_call') {
      open?.begun.set(callId, step.seq);
    } else if (step.kind === 'tool_result' && open) {
      const call = open.calls.find((each) => each.id === callId);
      const { result, result_hash: hash } = step.content;
      if (call) guard.replayed(call, result, typeof hash === 'string' ? hash : null);
      const { reveals } = step.content;
      if (Array.isArray(reveals)) replayed.revealed.push(...(reveals as string[]));
      open.results.set(callId, result);
      open.begun.delete(callId);
      replayed.tainted ||= step.content['untrusted'] === true;
    }
  }
  if (!open) return replayed;
  if (open.calls.every((call) => open?.results.has(call.id))) close(open, messages);
  else replayed.open = open;
  return replayed;
}

interface Replayed {
  modelCalls: number;
  open: OpenStep | null;
  /** A result of theirs is untrusted content. */
  tainted: boolean;
  /** Tools that searches found, the last one last. */
  revealed: string[];
}

/** Gives the model the results of a step, in the order of its calls. */
export function close({ calls, results }: OpenStep, messages: Listener): void {
  for (const { id, name } of calls) messages.push({ role: 'tool', call_id: id, name, result: results.get(id) });
}

/** A model may give two calls of one step the same id, or none: results are told apart by them. */
export function withUniqueIds(completion: Completion): Completion {
  const seen = new Set<string>();
  const tool_calls = completion.tool_calls.map((call, index) => {
    const id = call.id && !seen.has(call.id) ? call.id : `${call.id || 'call'}_${index}`;
    seen.add(id);
    return { ...call, id };
  });
  return { ...completion, tool_calls };
}
