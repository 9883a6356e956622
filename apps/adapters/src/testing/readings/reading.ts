/** What a person has before them when a channel shows a text. */
export interface Reading {
  /** All words in order, those in code too. */
  text: string;
  /** Each stretch of code, exactly. */
  code: string[];
  bold: string[];
  struck: string[];
  /** Where links lead. */
  links: string[];
  /** Texts in which the channel looks for names to notify. */
  notifying: string[];
}

const INVISIBLE = /\u200b/g;
const TABLE_RULE = /^[-+]{3,}$/gm;
const TABLE_BAR = /(?<=^|\s)\|(?=\s|$)/gm;
const LIST_MARK = /^\s*(?:[•-]|\d{1,3}\.)(?=\s)/gm;
const TASK_BOX = /\[[ x]\](?=\s)/g;

/** Words alone: how a channel draws lists, tables and rules does not count. */
export function wordsOf(text: string): string {
  const drawn = text.replaceAll(INVISIBLE, '').replaceAll(TABLE_RULE, ' ').replaceAll(TABLE_BAR, ' ');
  return drawn.replaceAll(LIST_MARK, ' ').replaceAll(TASK_BOX, ' ').replaceAll(/\s+/g, ' ').trim();
}

export function emptyReading(): Reading {
  return { text: '', code: [], bold: [], struck: [], links: [], notifying: [] };
}

/** Channels that show no link show its address: `words (address)`. */
export function withoutAddresses(reading: Reading, addresses: readonly string[]): Reading {
  let { text } = reading;
  const links = [...reading.links];
  for (const address of addresses) {
    if (!text.includes(address.replace('mailto:', ''))) continue;
    text = text.replace(` (${address})`, '');
    links.push(address);
  }
  return { ...reading, text, links };
}
