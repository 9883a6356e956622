import { type ContentTrust, contentTrusts, leastTrusted, type ToolImage } from '#libs/contracts';
import type { RunOutputProblem } from '#libs/views';
import type { Completion, ModelMessage, Thoughts, ToolCall } from '../model/model.js';
import type { Step } from '../../entities/turn.entity.js';
import type { CallGuard } from './call-guard.js';
import { repairOf } from './answer.js';

/** The content of a `model_call` step. */
export interface ModelCallContent extends Record<string, unknown> {
  text: string;
  tool_calls: ToolCall[];
  thoughts?: Thoughts;
  model: string;
  finish_reason: string;
  /** Why the answer was discarded and is not shown to the model again. Absent: it counts. */
  discarded?: string;
  /** Where the answer does not hold to the schema that was asked for. */
  problems?: RunOutputProblem[];
}

/** Receives the messages of a conversation. */
export interface Listener {
  push(message: ModelMessage): unknown;
}

/** The calls of one model step and what has become of them. */
export interface OpenStep {
  seq: number;
  calls: ToolCall[];
  /** Results by call id. */
  results: Map<string, unknown>;
  /** Images of results, by call id. */
  images: Map<string, ToolImage[]>;
  /** Calls that were begun and have no result, by call id: their steps, and when. */
  begun: Map<string, Interrupted>;
  /** The trust of what the model was shown when it asked for these calls. */
  window: ContentTrust;
}

/**
 * Puts the stored steps of earlier claims back into the conversation.
 * @returns what they leave: the last step if some of its calls have no result, and what the turn has read and found
 */
export function replay(stored: Step[], messages: Listener, guard: CallGuard): Replayed {
  let open: OpenStep | null = null;
  const replayed: Replayed = { open: null, readTrust: 'own', revealed: [], imageBytes: 0 };
  for (const step of stored) {
    const callId = String(step.content['call_id']);
    if (step.kind === 'model_call') {
      if (open) close(open, messages);
      const content = step.content as ModelCallContent;
      open = null;
      if (content.discarded === 'output_invalid') {
        for (const message of repairOf(content.text, content.problems ?? [])) messages.push(message);
      }
      if (content.discarded !== undefined) continue;
      const { text, tool_calls, thoughts } = content;
      messages.push({ role: 'assistant', content: text, tool_calls, ...(thoughts ? { thoughts } : {}) });
      open = {
        seq: step.seq,
        calls: content.tool_calls,
        results: new Map(),
        images: new Map(),
        begun: new Map(),
        window: replayed.readTrust,
      };
    } else if (step.kind === 'tool_call') {
      open?.begun.set(callId, { seq: step.seq, at: step.created_at });
    } else if (step.kind === 'tool_result' && open) {
      const call = open.calls.find((each) => each.id === callId);
      const { result, result_hash: hash } = step.content;
      if (call) guard.replayed(call, result, typeof hash === 'string' ? hash : null);
      const { reveals, images } = step.content;
      if (Array.isArray(reveals)) replayed.revealed.push(...(reveals as string[]));
      open.results.set(callId, result);
      if (Array.isArray(images)) {
        open.images.set(callId, images as ToolImage[]);
        replayed.imageBytes += (images as ToolImage[]).reduce((sum, { data }) => sum + bytesIn(data), 0);
      }
      open.begun.delete(callId);
      const trust = contentTrusts.find((each) => each === step.content['trust']) ?? 'own';
      replayed.readTrust = leastTrusted(replayed.readTrust, trust);
    }
  }
  if (!open) return replayed;
  if (open.calls.every((call) => open?.results.has(call.id))) close(open, messages);
  else replayed.open = open;
  return replayed;
}

interface Interrupted {
  seq: number;
  at: Date;
}

interface Replayed {
  /** Its `window` covers the turn's own steps only. */
  open: OpenStep | null;
  /** The least trust of the results. */
  readTrust: ContentTrust;
  /** Tools that searches found, in the order in which they were found. */
  revealed: string[];
  /** Of the images that the model is shown. */
  imageBytes: number;
}

/** @param base64 padded */
export function bytesIn(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

/** Gives the model the results of a step, in the order of its calls. */
export function close({ calls, results, images }: OpenStep, messages: Listener): void {
  for (const { id, name } of calls) {
    const parts = images
      .get(id)
      ?.map(({ media_type: mediaType, data }) => ({ type: 'image' as const, mediaType, data }));
    messages.push({ role: 'tool', call_id: id, name, result: results.get(id), ...(parts ? { images: parts } : {}) });
  }
}

/** Results are matched to calls by id, and a model may repeat an id within a step or leave it out. */
export function withUniqueIds(completion: Completion): Completion {
  const taken = new Set(completion.tool_calls.map(({ id }) => id));
  const seen = new Set<string>();
  const tool_calls = completion.tool_calls.map((call, index) => {
    let id = call.id;
    for (let more = 0; id === '' || seen.has(id); more += 1) {
      const next = `${call.id || 'call'}_${index + more}`;
      id = taken.has(next) ? '' : next;
    }
    seen.add(id);
    return { ...call, id };
  });
  return { ...completion, tool_calls };
}
