import { leastTrusted } from '#libs/contracts';
import type { Memory } from '../compaction/compactor.service.js';
import { Conversation } from '../prompt/conversation.js';
import { buildPrompt, type PromptParts, trustOfInput, type WindowTurn } from '../prompt/prompt.js';

/** A turn's conversation with its model. The summary is always part of it; earlier turns are, as far as there is room. */
export function conversationOf(
  parts: Omit<PromptParts, 'past' | 'summary' | 'ownChars'>,
  { past, summary }: Memory,
): Conversation {
  const pastAt = (share: number): WindowTurn[] => past.slice(past.length - Math.floor(past.length * share));
  const text = summary?.text ? summary.text : null;
  const trustOfSummary = text === null ? 'own' : (summary?.content_trust ?? 'own');
  const trusted = trustOfInput(parts.input);
  return new Conversation(
    (shown) => buildPrompt({ ...parts, summary: text, past: pastAt(shown.past), ownChars: shown.ownChars }),
    (shown) => leastTrusted(trusted, trustOfSummary, ...pastAt(shown.past).map((earlier) => earlier.content_trust)),
  );
}
