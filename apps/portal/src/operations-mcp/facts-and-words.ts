import { fence } from '#libs/sanitizer';

type Word = readonly [name: string, value: string];

const wordChars = 500;
const textChars = 1_000;
const senderChars = 300;
/** Ids, codes, times: they say nothing to a model. */
const isCode = /^[\w.:+-]{1,100}$/;
/** Fields that hold what others wrote, or repeat it, even where that is one word. */
const inWords: ReadonlySet<string> = new Set(['error', 'redrive_error', 'name', 'text', 'why', 'what_to_do']);

/**
 * What a tool reports of one thing: codes, ids, times and numbers as a line of JSON, and all else between a fence. A
 * sentence of ours may repeat a filter's value, an answer of a model or the name of a foreign tool, so none is an exception.
 * @param source the App that it came through
 * @param written further words, whatever their form
 */
export function reported(source: string, facts: object, written: readonly Word[] = []): string {
  const words: Word[] = [];
  const codes = JSON.stringify(withoutWords(facts, '', '', words));
  const quoted = [...words, ...written].map(([name, value]) => [name, cut(value, wordChars)] as const);
  if (quoted.length === 0) return codes;
  return `${codes}\n${fence({ source, sender: 'several: in words', verified: false, facts: quoted, text: '' })}`;
}

export interface Written {
  event_type?: string;
  sender?: string;
  text?: string | undefined;
}

/** A message, or its beginning, with who sent it and what the App calls it. */
export function fromOutside(
  source: string,
  { event_type: type, sender, text = '' }: Written,
  verified: boolean,
): string {
  const facts = type === undefined ? [] : [['event type', cut(type, wordChars)] as const];
  const from = cut(sender ?? '', senderChars) || 'unknown';
  return `\n${fence({ source, sender: from, verified, facts, text: cut(text, textChars) })}`;
}

/** Null says nothing here, and a model reads every line. @param words gets what is none of the codes */
function withoutWords(value: unknown, path: string, field: string, words: Word[]): unknown {
  if (value === null) return undefined;
  if (typeof value === 'string') {
    if (isCode.test(value) && !inWords.has(field)) return value;
    if (value !== '') words.push([path, value]);
    return undefined;
  }
  if (typeof value !== 'object') return value;
  const below = (each: unknown, name: string, of: string): unknown =>
    withoutWords(each, path === '' ? name : `${path}.${name}`, of, words);
  if (Array.isArray(value)) {
    return value.map((each, at) => below(each, String(at), field)).filter((each) => each !== undefined);
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, below(each, name, name)]));
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
