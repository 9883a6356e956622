import { type ContentTrust, leastTrusted } from '#libs/contracts';
import type { WindowTurn } from './session-window.js';

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
