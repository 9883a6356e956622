import { type ContentTrust, leastTrusted } from '#libs/contracts';
import type { PastTurn } from '../prompt/prompt.js';

/** An earlier turn, as a later turn of its session is shown it. */
export interface WindowTurn extends PastTurn {
  /** Of what it brought into the conversation. */
  content_trust: ContentTrust;
}

/**
 * SQL for the turns that succeeded before a turn in its session, oldest first, as JSON.
 * @param turn the turn's alias in the statement
 * @param limit how many turns
 */
export const pastTurns = (turn: string, limit: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'id' ORDER BY past.id), '[]') FROM (
     SELECT id, input, reply_text, content_trust FROM engine.turn earlier
      WHERE earlier.session_id = ${turn}.session_id AND earlier.project_id = ${turn}.project_id
        AND earlier.state = 'succeeded' AND earlier.id < ${turn}.id
      ORDER BY earlier.id DESC LIMIT ${limit}) past)`;

/** Characters in a row. Phrases that answers have in common by themselves are shorter. */
const passage = 100;

/**
 * The trust of what a reply repeats, word for word, of earlier turns that it was shown: it stays as trusted as it was,
 * or a text could outlive the window by asking to be repeated.
 * @param maxChars of each earlier text, as it was shown
 */
export function repeatedTrust(reply: string, past: readonly WindowTurn[], maxChars: number): ContentTrust {
  const doubtful = past.filter(({ content_trust: trust }) => trust !== 'own');
  const said = plain(reply);
  if (doubtful.length === 0 || said.length < passage) return 'own';
  const passages = new Set(Array.from({ length: said.length - passage + 1 }, (_, at) => said.slice(at, at + passage)));
  const repeated = doubtful.filter((turn) =>
    textsOf(turn).some((text) => hasOneOf(passages, plain(text.slice(0, maxChars)))),
  );
  return leastTrusted(...repeated.map(({ content_trust: trust }) => trust));
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
