import { type LineKind, type MailLine, textOfLines } from './mail-line.js';
import {
  attributionAt,
  isAttachedMail,
  isDeviceLine,
  isEarlierMail,
  isForwardMark,
  isForwardSubject,
} from './quote-marks.js';

/** A mail's text in its parts. Together they are the whole; each line is in one of them. */
export interface VisibleReply {
  message: string;
  quoted?: string;
  signature?: string;
}

/** A longer text below `--` is not a signature. */
const MAX_SIGNATURE_LINES = 20;
/** Below a `--` that lacks its space. */
const MAX_LOOSE_SIGNATURE_LINES = 8;

/**
 * What a mail's writer wrote, without what they answer and what stands below each of their mails. A forward stays whole,
 * and so does a mail that would be empty without them. Answers between the lines of a quotation keep its lines.
 */
export function visibleReply(lines: readonly MailLine[], subject: string | undefined): VisibleReply {
  const whole = { message: textOfLines(lines) };
  if (isForwardSubject(subject)) return whole;
  const kinds = kindsOf(lines);
  if (!kinds) return whole;
  markSignatures(lines, kinds);
  keepAnswered(lines, kinds);
  const partOf = (kind: LineKind): string => textOfLines(lines.filter((_line, at) => kinds[at] === kind));
  const own = textOfLines(
    lines.flatMap((line, at) => {
      if (kinds[at] !== 'own') return [];
      // A quotation that is kept has to stand apart from its answers.
      const isMarked = line.kind !== 'quoted' || line.text.trim() === '' || /^\s?>/.test(line.text);
      return [isMarked ? line : { ...line, text: `> ${line.text}` }];
    }),
  );
  if (own === '') return whole;
  const [quoted, signature] = [partOf('quoted'), partOf('signature')];
  return { message: own, ...(quoted !== '' && { quoted }), ...(signature !== '' && { signature }) };
}

/** The kind of each line; undefined for a forward. */
function kindsOf(lines: readonly MailLine[]): LineKind[] | undefined {
  const kinds = lines.map(({ kind }) => kind);
  joinQuotations(lines, kinds);
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line) break;
    if (kinds[at] === 'quoted' && kinds[at - 1] === 'quoted') {
      at++;
      continue;
    }
    if (isForwardMark(line) || isAttachedMail(lines, at)) return undefined;
    const attribution = line.kind === 'own' ? attributionAt(lines, at) : 0;
    if (attribution > 0) {
      const next = nextWords(lines, at + attribution);
      if (next === undefined || lines[next]?.kind !== 'quoted') return quotedFrom(lines, kinds, at);
      kinds.fill('quoted', at, next);
      at = next;
      continue;
    }
    if (line.kind === 'own' && isEarlierMail(lines, at)) return quotedFrom(lines, kinds, at);
    at++;
  }
  return kinds;
}

/** Blank lines between quoted ones are quoted. */
function joinQuotations(lines: readonly MailLine[], kinds: LineKind[]): void {
  let last: number | undefined;
  for (const [at, kind] of kinds.entries()) {
    if (lines[at]?.text.trim() === '') continue;
    if (kind === 'quoted' && last !== undefined) kinds.fill('quoted', last, at);
    last = kind === 'quoted' ? at : undefined;
  }
}

/** All from a line on, and the rule above it. */
function quotedFrom(lines: readonly MailLine[], kinds: LineKind[], at: number): LineKind[] {
  let start = at;
  while (start > 0 && /^\s*[-_=]*\s*$/.test(lines[start - 1]?.text ?? '')) start--;
  return kinds.fill('quoted', start);
}

function nextWords(lines: readonly MailLine[], from: number): number | undefined {
  for (let at = from; at < lines.length; at++) if (lines[at]?.text.trim() !== '') return at;
  return undefined;
}

/** `-- ` and what follows, the note of a phone, the footer of a list: up to the quotation behind them or the end. */
function markSignatures(lines: readonly MailLine[], kinds: LineKind[]): void {
  for (let end = lines.length; end > 0;) {
    while (end > 0 && kinds[end - 1] !== 'own') end--;
    let start = end;
    while (start > 0 && kinds[start - 1] === 'own') start--;
    const mark = signatureIn(lines, start, end);
    if (mark !== undefined) kinds.fill('signature', mark, end);
    end = start;
  }
}

function signatureIn(lines: readonly MailLine[], start: number, end: number): number | undefined {
  const text = (at: number): string => lines[at]?.text ?? '';
  let last = end - 1;
  while (last >= start && text(last).trim() === '') last--;
  const first = Math.max(start, last - MAX_SIGNATURE_LINES);
  for (let at = first; at <= last; at++) {
    if (/^(?:--|—) $/.test(text(at)) || (/^(?:--|—)$/.test(text(at)) && last - at <= MAX_LOOSE_SIGNATURE_LINES))
      return at;
    if (
      /^_{10,}\s*$/.test(text(at)) &&
      /mailing list|unsubscribe|listinfo/i.test(text(at + 1) + text(at + 2) + text(at + 3))
    )
      return at;
  }
  return last >= start && isDeviceLine(text(last).trim()) ? last : undefined;
}

/** Quotations with own words behind them: all of them are kept, but one at the top that is answered below. */
function keepAnswered(lines: readonly MailLine[], kinds: LineKind[]): void {
  const own = kinds.flatMap((kind, at) => (kind === 'own' && lines[at]?.text.trim() !== '' ? [at] : []));
  const [first = 0, last = 0] = [own[0], own.at(-1)];
  const isAnswered = kinds.slice(first, last).includes('quoted');
  if (!isAnswered) return;
  for (let at = first; at < last; at++) if (kinds[at] === 'quoted') kinds[at] = 'own';
  // Its beginning belongs to what is answered.
  for (let at = first - 1; at >= 0 && kinds[at] === 'quoted'; at--) kinds[at] = 'own';
}
