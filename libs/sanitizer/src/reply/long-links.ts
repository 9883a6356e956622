import { codeIn } from '../rules/code-spans.js';
import type { Rule } from '../rules/rule.js';
import { isAllowed, type KnownTargets, trailing } from './targets.js';

/** Characters after a link's host: beyond this, it is more often data than an address. */
const maxBehindHost = 256;
const longLink = new RegExp(
  `(?:\\b(?:https?|ftp):|(?<=\\]\\(<?))//[^\\s<\\u3000-\\u9fff\\uff00-\\uffef]{${maxBehindHost},}|\\bwww\\.[^\\s<\\u3000-\\u9fff\\uff00-\\uffef]{${maxBehindHost},}`,
  'gi',
);
const start = /^(?:[a-z]+:)?(?:\/\/)?[\w.:-]+(?=[/?#])\/?/i;

/**
 * Cuts links to their host when a lot follows the host, unless the turn has read exactly that link or the agent's
 * Skills name its host. A person has to follow a link before it reveals anything, so short ones stay.
 */
export function longLinks(known: KnownTargets): Rule {
  return {
    name: 'long_links',
    apply(text) {
      const isCode = codeIn(text);
      let times = 0;
      const result = text.replace(longLink, (whole, at: number) => {
        const found = whole.replace(trailing, '');
        const [host = ''] = start.exec(found) ?? [];
        if (found.length - host.length <= maxBehindHost || isCode(at, at + found.length)) return whole;
        const read = [whole, found].some((link) => known.readLinks.has(link) || known.namedLinks.has(link));
        if (read || isAllowed(found, known.allowedHosts)) return whole;
        times += 1;
        return `${host}[link cut: ${found.length - host.length} characters]${whole.slice(found.length)}`;
      });
      return { text: result, times };
    },
  };
}
