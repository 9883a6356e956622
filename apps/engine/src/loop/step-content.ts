import type { Completion } from '../model/model.js';
import type { Answer } from './answer-of.js';
import type { CheckedOutput } from './output-check.js';

/** What a `model_call` step keeps of the answer. */
export function stepOf(
  { text, model, finish_reason, refusal, insteadOf, estimated = false }: Completion,
  asked: Completion['tool_calls'],
  answer: Answer | null,
  value: CheckedOutput | null,
): Record<string, unknown> {
  const refused = refusal === undefined ? {} : { refusal };
  const instead = insteadOf ? { instead_of: insteadOf } : {};
  const shown = { text, tool_calls: asked, model, finish_reason, ...refused, ...instead, ...markOf({ estimated }) };
  if (value && 'problems' in value) return { ...shown, discarded: 'output_invalid', problems: value.problems };
  if (answer?.is === 'too_long') return { ...shown, discarded: 'empty_at_length' };
  return answer?.is === 'failed' ? { ...shown, discarded: answer.code } : shown;
}

export function markOf({ estimated }: { estimated?: boolean }): { tokens_estimated?: true } {
  return estimated === true ? { tokens_estimated: true } : {};
}
