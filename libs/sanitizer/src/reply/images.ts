import { codeIn } from '../rules/code-spans.js';
import type { Rule } from '../rules/rule.js';
import { certainCodeIn } from './certain-code.js';
import { type KnownTargets, strangeHost } from './targets.js';

const alt = '[^[\\]\\\\`\\n]{0,500}';
const title = `(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'|\\([^()\\n]{0,500}\\))`;
const inline = new RegExp(
  `!\\[${alt}\\]\\(\\s{0,9}(?:<([^<>\\n]{0,4000})>|([^\\s()<>]{0,4000}))(?:\\s{1,9}${title})?\\s{0,9}\\)`,
  'y',
);
const reference = new RegExp(`!\\[(${alt})\\](?:\\[(${alt})\\])?(?![[(])`, 'y');
/** Match more than renderers accept as a definition, or an inline image's address: nothing they read may be missed. */
const definition = /(?:\[([^[\]\n]{0,300}))?\]:[ \t]*(?:\n[ \t>]*)?(?:<([^<>\n]{0,2000})|([^\s<>]{0,2000}))/g;
const address = /\]\([\s>]{0,50}(?:<([^<>\n]{0,2000})|([^\s<>)]{0,2000}))/g;

/** An image that renderers load automatically reveals its address to its host. A broken bar makes it a link. */
const disarmed = '!¦[';
export const imageNote = (host: string): string => `[image removed: ${host}]`;

/**
 * Images from unknown hosts: a note replaces them. An image that renderers may read differently, or that is in what
 * looks like code, becomes a link.
 */
export function images(known: KnownTargets): Rule {
  return {
    name: 'images',
    apply(text) {
      if (!text.includes('![')) return { text, times: 0 };
      const labels = labelsOf(text, known);
      if (labels.strange.size === 0 && !hasStrangeAddress(text, known)) return { text, times: 0 };
      const [isCode, isCertainCode] = [codeIn(text), certainCodeIn(text)];
      let [result, from, times] = ['', 0, 0];
      for (let at = text.indexOf('!['); at >= 0; at = text.indexOf('![', at)) {
        if (isCertainCode(at, at + 2)) {
          at += 2;
          continue;
        }
        const { length, host } = readImage(text, at, known, labels);
        if (host === null) {
          at += length;
          continue;
        }
        const note = host === unclear || isCode(at, at + 2) ? disarmed : imageNote(host);
        const end = note === disarmed ? at + 2 : at + length;
        result += text.slice(from, at) + note;
        times += 1;
        from = at = end;
      }
      return { text: result + text.slice(from), times };
    },
  };
}

const unclear = Symbol('unclear');

/** @returns the host that must not learn anything from it; null when it may be shown */
function readImage(
  text: string,
  at: number,
  known: KnownTargets,
  { strange, fine }: Labels,
): { length: number; host: string | typeof unclear | null } {
  inline.lastIndex = at;
  const direct = inline.exec(text);
  if (direct) return { length: direct[0].length, host: strangeHost(direct[1] ?? direct[2] ?? '', known) };
  reference.lastIndex = at;
  const named = reference.exec(text);
  if (!named) return { length: 2, host: unclear };
  const label = folded(named[2] || (named[1] ?? ''));
  const host = strange.get(label) ?? (strange.size === 0 || fine.has(label) ? null : unclear);
  return { length: named[0].length, host };
}

interface Labels {
  /** By label: the hosts of definitions that must not be shown. */
  strange: Map<string, string>;
  fine: Set<string>;
}

function labelsOf(text: string, known: KnownTargets): Labels {
  const labels: Labels = { strange: new Map(), fine: new Set() };
  for (const [, label = '', bracketed, bare = ''] of text.matchAll(definition)) {
    const host = strangeHost(bracketed ?? bare, known);
    if (host === null) labels.fine.add(folded(label));
    else labels.strange.set(folded(label), host);
  }
  return labels;
}

function hasStrangeAddress(text: string, known: KnownTargets): boolean {
  for (const [, bracketed, bare = ''] of text.matchAll(address)) {
    if (strangeHost(bracketed ?? bare, known) !== null) return true;
  }
  return false;
}

/** As CommonMark compares labels. */
function folded(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}
