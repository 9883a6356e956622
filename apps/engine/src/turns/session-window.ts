import { type ContentTrust, leastTrusted } from '#libs/contracts';
import type { ShownSummary } from '../compaction/session-summary.entity.js';
import type { WindowTurn } from '../prompt/prompt.js';

/**
 * SQL for the turns that succeeded before a turn in its session and are not in its summary, oldest first, as JSON.
 * @param turn the turn's alias in the statement
 * @param limit how many turns
 */
export const pastTurns = (turn: string, limit: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(past) ORDER BY past.id), '[]') FROM (
     SELECT id, input, reply_text, content_trust FROM engine.turn earlier
      WHERE earlier.session_id = ${turn}.session_id AND earlier.project_id = ${turn}.project_id
        AND earlier.state = 'succeeded' AND earlier.id < ${turn}.id
        AND earlier.id > coalesce((SELECT through_turn_id FROM engine.session_summary s WHERE s.session_id = ${turn}.session_id), '')
      ORDER BY earlier.id DESC LIMIT ${limit}) past)`;

/** Characters in a row. Phrases that answers have in common by themselves are shorter. */
const passage = 100;

/**
 * The trust of what a reply repeats, word for word, of earlier turns that it was shown: it stays as trusted as it was,
 * or a text could outlive the window by asking to be repeated.
 * @param summary of what was said before them
 * @param maxChars of each earlier text, as it was shown
 */
export function repeatedTrust(
  reply: string,
  { past, summary }: { past: readonly WindowTurn[]; summary: ShownSummary | null },
  maxChars: number,
): ContentTrust {
  const shown = past.map((turn) => ({
    trust: turn.content_trust,
    texts: textsOf(turn).map((text) => text.slice(0, maxChars)),
  }));
  if (summary) shown.push({ trust: summary.content_trust, texts: [summary.text] });
  const doubtful = shown.filter(({ trust }) => trust !== 'own');
  const said = plain(reply);
  if (doubtful.length === 0 || said.length < passage) return 'own';
  const passages = new Set(Array.from({ length: said.length - passage + 1 }, (_, at) => said.slice(at, at + passage)));
  const repeated = doubtful.filter(({ texts }) => texts.some((text) => hasOneOf(passages, plain(text))));
  return leastTrusted(...repeated.map(({ trust }) => trust));
}

function textsOf({ input, reply_text: reply }: WindowTurn): string[] {
  return [...[...(input.earlier ?? []), input.message].map(({ message }) => message), reply ?? ''];
}

function hasOneOf(passages: ReadonlySet<string>, text: string): boolean {
  for (let at = 0; at + passage <= text.length; at += 1) if (passages.has(text.slice(at, at + passage))) return true;
  return false;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ');
}
