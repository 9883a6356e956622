import { htmlToText } from './html/html-to-text.js';
import { count, emptyReport, type SanitizerReport } from './report.js';
import { cutToLimits, type LengthLimits } from './rules/caps.js';
import { characterRules, nfc } from './rules/characters.js';
import { chatTokens, turnMarkers } from './rules/chat-tokens.js';
import { fenceMarkers } from './rules/fence-markers.js';
import { hiddenReferences, htmlComments } from './rules/hidden-markup.js';
import type { Rule } from './rules/rule.js';
import { untilSettled } from './settle.js';

export interface SanitizeOptions {
  /** `html` for a part declared as HTML (in an e-mail): it is converted to text first. Default `text`. */
  format?: 'text' | 'html';
  /** UTF-16 units of the result. Default 100 000, at least 64. */
  maxChars?: number;
  /** Lines of the result. Default 5 000, at least 2. */
  maxLines?: number;
}

export interface Sanitized {
  text: string;
  report: SanitizerReport;
}

const defaults = { maxChars: 100_000, maxLines: 5_000 };
/** The most that is read of a text: far above any cap of the result, so that a hidden beginning cannot use it up. */
const maxInputChars = 4 * 1024 * 1024;

/** The order matters: each rule states the reasons. */
const rules: readonly Rule[] = [
  ...characterRules,
  htmlComments,
  hiddenReferences,
  chatTokens,
  turnMarkers,
  fenceMarkers,
  nfc,
];

/**
 * External text as a model or a person may see it: both see exactly what is there. The rules repeat until nothing
 * changes, because what one removes may bring together what another looks for. It never throws, takes time linear in
 * the text, and changes nothing when run on its own result. It does not make text trustworthy.
 */
export function sanitize(text: string, options: SanitizeOptions = {}): Sanitized {
  const limits = {
    maxChars: Math.max(64, options.maxChars ?? defaults.maxChars),
    maxLines: Math.max(2, options.maxLines ?? defaults.maxLines),
  };
  const report = emptyReport();
  let current = text;
  let unread = Math.max(0, text.length - maxInputChars);
  if (unread > 0) current = current.slice(0, maxInputChars);
  if (options.format === 'html') {
    const read = htmlToText(current);
    current = read.text;
    unread += read.unread;
    count(report, 'html', read.dropped);
  }
  return settle(current, limits, unread, report);
}

function settle(text: string, limits: LengthLimits, unread: number, report: SanitizerReport): Sanitized {
  let cutBefore = unread;
  report.cut = unread;
  const settled = untilSettled(text, report, (current) => {
    const next = round(current, limits, cutBefore, report);
    cutBefore = 0;
    return next;
  });
  if (report.settled) count(report, 'length', report.cut);
  return { text: settled, report };
}

function round(text: string, limits: LengthLimits, cutBefore: number, report: SanitizerReport): string {
  let current = text;
  if (!isPlain(current)) {
    for (const rule of rules) {
      const { text: next, times } = rule.apply(current);
      count(report, rule.name, times);
      current = next;
    }
  }
  const { text: fitting, cut } = cutToLimits(current, limits, cutBefore);
  report.cut += cut;
  return fitting;
}

/** Most text is printable ASCII without a bracket: apart from a template's turns, no rule applies to it. */
function isPlain(text: string): boolean {
  return /^[\t\n\x20-\x3b\x3d-\x5a\x5c-\x7e]*$/.test(text) && turnMarkers.apply(text).times === 0;
}
