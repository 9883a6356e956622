import type { MailLine } from './mail-line.js';
import { OTHER_REPLY_WORDS } from './other-reply-words.js';
import type { ReplyWords } from './reply-words.js';
import { WESTERN_REPLY_WORDS } from './western-reply-words.js';

const words = (field: keyof ReplyWords): string[] => [
  ...new Set(Object.values({ ...WESTERN_REPLY_WORDS, ...OTHER_REPLY_WORDS }).flatMap((language) => language[field])),
];
const anyOf = (list: readonly string[]): string =>
  [...list]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join('|');

/** Longer lines are no marks of a program. */
const MAX_MARK_LENGTH = 500;
/** An attribution is wrapped into at most so many lines. */
const MAX_SPAN = 3;
/** A block of headers, with long lists of recipients. */
const MAX_BLOCK = 9;

const WROTE = new RegExp(String.raw`(?:^|[^\p{L}])(?:${anyOf(words('wrote'))})(?:[^\p{L}]|$)`, 'iu');
/** Languages that write no spaces, or join the verb to its subject; and an Arabic form. */
const WROTE_JOINED = /写道|寫道|写到|撰寫|のメール|のメッセージ|書きました|작성|씀|썼습니다|تمت كتابة ما يلي/u;
/** Programs of some languages write no verb: a time, a name and an address. */
const TIME_AND_ADDRESS = /\p{Nd}{1,2}[:.]\p{Nd}{2}.*<[^<>\s]+@[^<>\s]+>\s*[:：]$/u;
/** How an attribution begins: its preposition, a weekday or number, or the name with its address. */
const BEGINS_ATTRIBUTION =
  /^[\s\u200e\u200f*-]*(?:(?:on|am|le|el|il|em|a|op|w dniu|dnia|den|på|pe|dne|в|на|στις|ב|vào|pada|în|في|在|\p{L}{2,4}[,.])\s|[^\p{L}]{0,3}\p{Nd}|[^<>]{0,80}<?\S+@|.{0,80}[于於]\s?\p{Nd})/iu;
const ORIGINAL = new RegExp(String.raw`^\s*[-_=]{1,40}\s*(?:${anyOf(words('original'))})\s*[-_=]{1,40}\s*$`, 'iu');
const FORWARDED = new RegExp(
  String.raw`^\s*(?:[-_=]{2,40}\s*(?:${anyOf(words('forwarded'))})[^\n]{0,60}?[-_=]{0,40}|(?:${anyOf(words('forwarded'))})\s*[:：])\s*$`,
  'iu',
);
const FORWARD_SUBJECT = new RegExp(String.raw`^\s*\[?(?:${anyOf(words('forwardPrefix'))})\s*[:：]`, 'iu');
const SENT_FROM = new RegExp(String.raw`^\W{0,3}(?:${anyOf(words('sentFrom'))})`, 'iu');
const SENT_FROM_WITHIN = new RegExp(
  String.raw`(?:${anyOf(words('sentFrom').filter((text) => /^[^\p{Lu}]/u.test(text)))})[^\n]{0,20}$`,
  'u',
);

type Field = 'from' | 'sent' | 'to' | 'subject';
const FIELDS = new Map<string, Set<Field>>();
for (const field of ['from', 'sent', 'to', 'subject'] as const) {
  for (const word of words(field)) {
    const key = word.toLowerCase();
    FIELDS.set(key, new Set([...(FIELDS.get(key) ?? []), field]));
  }
}

export function isForwardSubject(subject: string | undefined): boolean {
  return FORWARD_SUBJECT.test(subject ?? '');
}

export function isForwardMark({ text }: MailLine): boolean {
  return text.length <= MAX_MARK_LENGTH && FORWARDED.test(text);
}

/** The head that postal-mime writes above the text of a mail that is attached to this one. */
export function isAttachedMail(lines: readonly MailLine[], at: number): boolean {
  const text = (behind: number): string => lines[at + behind]?.text ?? '';
  return /^-{10,}$/.test(text(0)) && text(1).startsWith('From: ') && text(2).startsWith('Subject: ');
}

/** `Sent from my phone`, in its language. */
export function isDeviceLine(text: string): boolean {
  return text.length <= 120 && (SENT_FROM.test(text) || SENT_FROM_WITHIN.test(text));
}

/**
 * How many lines say who wrote what is quoted behind them: `On 3 May, Jane wrote:`; 0 for none. Without a quotation right
 * behind, its time or address has to be there as well: a person may write such a line.
 */
export function attributionAt(lines: readonly MailLine[], at: number): number {
  const first = lines[at]?.text ?? '';
  if (first.length > MAX_MARK_LENGTH || !BEGINS_ATTRIBUTION.test(first)) return 0;
  let joined = '';
  for (let count = 1; count <= MAX_SPAN; count++) {
    const text = lines[at + count - 1]?.text.trim() ?? '';
    if (text === '' || joined.length + text.length > MAX_MARK_LENGTH) return 0;
    joined = joined === '' ? text : `${joined} ${text}`;
    const bare = joined.replace(/[\s*_\u200e\u200f]+$/, '');
    // Zoho ends it with a rule.
    if (!/[:：]$|[^-]-{4}$/.test(bare)) continue;
    const isWrote = WROTE.test(bare) || WROTE_JOINED.test(bare);
    const isDated = /\p{Nd}\D+\p{Nd}/u.test(bare) || bare.includes('@');
    return TIME_AND_ADDRESS.test(bare) || (isWrote && (isDated || isQuotedNext(lines, at + count))) ? count : 0;
  }
  return 0;
}

function isQuotedNext(lines: readonly MailLine[], at: number): boolean {
  return lines.slice(at, at + MAX_SPAN).find(({ text }) => text.trim() !== '')?.kind === 'quoted';
}

/** Whether an earlier mail begins here, unmarked: behind `-----Original Message-----`, or with the block of its headers. */
export function isEarlierMail(lines: readonly MailLine[], at: number): boolean {
  const text = lines[at]?.text ?? '';
  if (text.length > MAX_MARK_LENGTH) return false;
  if (ORIGINAL.test(text)) return true;
  if (!fieldsOf(text)?.has('from')) return false;
  const found = new Set<Field>();
  for (const line of lines.slice(at + 1, at + MAX_BLOCK)) {
    if (line.text.trim() === '' && found.size > 0) break;
    for (const field of fieldsOf(line.text) ?? []) found.add(field);
  }
  // A request for a journey has From, To and Date as well.
  return found.has('subject') && (found.has('sent') || found.has('to'));
}

function fieldsOf(text: string): ReadonlySet<Field> | undefined {
  const [, label] = /^[\s*|]*([^:：*]{1,30}?)[\s*]*[:：]/.exec(text.slice(0, 60)) ?? [];
  return label === undefined ? undefined : FIELDS.get(label.trim().toLowerCase());
}
