import { nothingToSay, type ReplyMark, type TurnLimit } from '#libs/contracts';
import type { SanitizedReply } from '#libs/sanitizer';
import { type Completion, type FinishReason, noReplyWord } from '../model/model.js';

/** The result of a turn's last model call. */
export type Answer =
  | { is: 'text'; text: string; reason: ReplyMark | null }
  | { is: 'nothing'; reason: typeof nothingToSay }
  /** It reached its length limit before it said anything. A shorter conversation may leave it room. */
  | { is: 'too_long' }
  /** `retry`: another try may succeed. */
  | { is: 'failed'; code: string; message: string; retry: boolean };

/** The endpoint ended the answer, not the model. */
export const brokenOff: ReadonlySet<FinishReason> = new Set(['error', 'interrupted']);

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

function failed(code: string, message: string): Extract<Answer, { is: 'failed' }> {
  return { is: 'failed', code, message, retry: false };
}
