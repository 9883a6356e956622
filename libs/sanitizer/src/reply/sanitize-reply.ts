import { count, emptyReport, type SanitizerReport } from '../report.js';
import { characterRules, controlRules, nfc } from '../rules/characters.js';
import { chatTokens } from '../rules/chat-tokens.js';
import { fenceMarkers } from '../rules/fence-markers.js';
import { hiddenReferences, htmlComments } from '../rules/hidden-markup.js';
import type { Rule } from '../rules/rule.js';
import type { Sanitized } from '../sanitize.js';
import { untilSettled } from '../settle.js';
import { codeLinks } from './code-links.js';
import { images } from './images.js';
import { loadingElements } from './loading-elements.js';
import { longLinks } from './long-links.js';
import type { KnownTargets } from './targets.js';
import { thinkingBlocks, thinkingNote } from './thinking-blocks.js';

export interface SanitizedReply extends Sanitized {
  /** The text without its notes about thinking: empty when a model only thought. */
  spoken: string;
}

const before: readonly Rule[] = [...characterRules, thinkingBlocks, htmlComments, hiddenReferences, chatTokens];

/**
 * A model's Markdown in the form that may be sent: without what a person does not see, without its thoughts, and
 * without what would leak data when shown. Notes mark what was removed. As `sanitize`, it never throws, takes linear
 * time, and changes nothing when run on its own result. It does not limit the length.
 */
export function sanitizeReply(markdown: string, known: Partial<KnownTargets> = {}): SanitizedReply {
  const { allowedHosts = [], namedLinks = new Set(), readLinks = new Set() } = known;
  const targets = { allowedHosts, namedLinks, readLinks };
  const links = longLinks(targets);
  const rules = [...before, fenceMarkers, loadingElements(targets), images(targets), codeLinks, links, nfc];
  const report = emptyReport();
  const text = untilSettled(markdown, report, (current) =>
    applied(isPlain(current) ? [links] : rules, current, report),
  );
  return { text, spoken: text.replaceAll(thinkingNote, '').trim(), report };
}

/** A person's own words: only control characters are removed. */
export function sanitizeOwnWords(text: string): Sanitized {
  const report = emptyReport();
  return { text: untilSettled(text, report, (current) => applied(controlRules, current, report)), report };
}

function applied(rules: readonly Rule[], text: string, report: SanitizerReport): string {
  let current = text;
  for (const rule of rules) {
    const { text: next, times } = rule.apply(current);
    count(report, rule.name, times);
    current = next;
  }
  return current;
}

/** Printable ASCII without a bracket: only its links may need cutting. */
function isPlain(text: string): boolean {
  return /^[\t\n\x20-\x3b\x3d-\x5a\x5c-\x7e]*$/.test(text);
}
