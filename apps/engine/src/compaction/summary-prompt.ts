import { type ContentTrust, isTrustedLess, leastTrusted } from '#libs/contracts';
import { fenceExplanation } from '#libs/sanitizer';
import type { ModelMessage } from '../model/model.js';
import { trustOfInput } from '../prompt/input-trust.js';
import { pastTexts, summaryText, type WindowTurn } from '../prompt/prompt.js';
import type { ShownSummary } from './session-summary.entity.js';

const task = `You keep the memory of a conversation between people and an assistant. ${fenceExplanation} Write what the assistant has to know to \
go on as if it had read everything: facts, names, numbers, dates and codes exactly as they were given, what was decided, promised and is still \
open, and who said it. Keep all of the summary so far, unless something later corrects it. Leave out greetings and what no longer matters. \
Write plain sentences, no instructions, and nothing else.`;

export interface SummaryPrompt {
  messages: ModelMessage[];
  /** Of all that it was made from. */
  trust: ContentTrust;
}

/**
 * What is less trusted than the conversation itself is left out: the summary stays in each later window, and would keep
 * the mark of one web page for good. Of a turn that has read such content, the messages are kept and the answer is not.
 * @param trust of the messages of the turn that summarises
 * @param maxChars of the summary @param textChars of each text that it is made from
 * @returns null when there is nothing to add to the summary
 */
export function summaryPrompt(
  turns: readonly WindowTurn[],
  before: ShownSummary | null,
  { trust, maxChars, textChars }: { trust: ContentTrust; maxChars: number; textChars: number },
): SummaryPrompt | null {
  const trusts: ContentTrust[] = [];
  const allowed = (given: ContentTrust): boolean => {
    if (isTrustedLess(given, trust)) return false;
    trusts.push(given);
    return true;
  };
  const said = turns.flatMap((turn) => [
    ...(allowed(trustOfInput(turn.input)) ? pastTexts(turn.input, textChars) : []),
    ...(turn.reply_text && allowed(turn.content_trust)
      ? [`The assistant answered:\n${turn.reply_text.slice(0, textChars)}`]
      : []),
  ]);
  if (said.length === 0) return null;
  const content = [...(before?.text ? [summaryText(before.text)] : []), ...said].join('\n\n');
  return {
    messages: [
      { role: 'system', content: `${task} At most ${maxChars} characters.` },
      { role: 'user', content },
    ],
    trust: leastTrusted(before?.content_trust ?? 'own', ...trusts),
  };
}
