import { codeIn } from '../rules/code-spans.js';
import type { Rule } from '../rules/rule.js';
import { certainCodeIn } from './certain-code.js';
import { imageNote } from './images.js';
import { type KnownTargets, strangeHost, unknownHost } from './targets.js';

const tag = /<([a-z][^\s/<>]*)([^<>]*)(>?)/gi;
const autolink = /^<(?:https?|mailto|ftp|tel):[^\s<>]*>$/i;
/** They load or run something, whatever their attributes. */
const alwaysLoads = /^(?:style|script)$/i;
/** They load what an attribute names, which may follow a `>` inside a quoted one. */
const mayLoad =
  /^(?:img|image|picture|source|video|audio|track|i?frame|frameset|object|embed|applet|link|svg|input|meta|base|form|body|portal|use|feimage|bgsound)$/i;
const loadingAttribute =
  /[\s/"'](?:src|srcset|imagesrcset|lowsrc|dynsrc|poster|background|style|data|codebase|action|formaction|ping|manifest|xlink:href|on[a-z]+)\s*=/i;
const quoted = /"[^"]*"|'[^']*'/g;
const plainImage = /^<img(?:\s+(?:alt|title)="[^"<>]*"|\s+(?:width|height)="?\d{1,4}%?"?|\s+src="[^"<>\s]+")+\s*\/?>$/i;
const source = /\ssrc="([^"<>\s]+)"/gi;

/**
 * HTML elements for which a page loads or runs something: a note replaces them, except for plain images from known
 * hosts. What looks like code, or is not closed, keeps its name after a broken bar.
 */
export function loadingElements(known: KnownTargets): Rule {
  return {
    name: 'loading_elements',
    apply(text) {
      if (!text.includes('<')) return { text, times: 0 };
      const [isCode, isCertainCode] = [codeIn(text), certainCodeIn(text)];
      let times = 0;
      const result = text.replace(tag, (whole: string, name: string, rest: string, end: string, at: number) => {
        if (autolink.test(whole) || !loads(name, rest, end) || isCertainCode(at, at + whole.length)) return whole;
        const image = name.toLowerCase() === 'img';
        const host = image ? hostOf(whole, known) : unknownHost;
        if (host === null) return whole;
        times += 1;
        if (end === '' || isCode(at, at + whole.length)) return `<¦${whole.slice(1)}`;
        return image ? imageNote(host) : `[element removed: ${name.slice(0, 20).replace(/[^a-z0-9-]/gi, '')}]`;
      });
      return { text: result, times };
    },
  };
}

function loads(name: string, rest: string, end: string): boolean {
  if (alwaysLoads.test(name)) return true;
  if (mayLoad.test(name)) return rest.includes('=') || (end === '' && rest !== '');
  // An unclosed quote hides the rest of the element behind what looks like its end.
  return loadingAttribute.test(rest) || /=\s*["']/.test(rest.replace(quoted, '""').replaceAll('""', ''));
}

/** @returns null for an image that may be shown */
function hostOf(element: string, known: KnownTargets): string | null {
  const [first, ...others] = [...element.matchAll(source)].map(([, src = '']) => strangeHost(src, known) ?? '');
  if (first === undefined) return unknownHost;
  return plainImage.test(element) && first === '' && others.length === 0 ? null : first || unknownHost;
}
