import { Parser } from 'htmlparser2';
import { isHidden } from './hidden-elements.js';
import { TextFlow } from './text-flow.js';

export interface HtmlText {
  text: string;
  /** Hidden elements and comments that were dropped. */
  dropped: number;
  /** UTF-16 units of markup that were not read. */
  unread: number;
}

/** The parser's cost is quadratic in the depth; a page nests a few dozen elements. */
const maxDepth = 1_000;
const chunk = 4_096;

/** The text that a page would show: hidden parts dropped, line breaks at the ends of blocks, every link's host kept. */
export function htmlToText(html: string): HtmlText {
  const flow = new TextFlow();
  /** How many elements are open from the first hidden one on; and how deep the current place is. */
  let hiddenDepth = 0;
  let depth = 0;
  let dropped = 0;
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (hiddenDepth > 0 || isHidden(name, attributes)) {
        if (hiddenDepth === 0) dropped += 1;
        hiddenDepth += 1;
        return;
      }
      if (name === 'a') links.push(hostOf(attributes['href']));
      flow.open(name);
    },
    onclosetag(name) {
      depth -= 1;
      if (hiddenDepth > 0) {
        hiddenDepth -= 1;
        return;
      }
      if (name === 'a') flow.linkHost(links.pop() ?? '');
      flow.close(name);
    },
    ontext(text) {
      if (hiddenDepth === 0) flow.text(text);
    },
    oncomment() {
      dropped += 1;
    },
  });
  let read = 0;
  while (read < html.length && depth < maxDepth) {
    parser.write(html.slice(read, read + chunk));
    read += chunk;
  }
  parser.end();
  return { text: flow.result(), dropped, unread: Math.max(0, html.length - read) };
}

const thisPage = 'https://this-page.invalid/';

/**
 * The host that a link leads to, or an empty string when it stays on the page. Decided by the parsed URL, as browsers
 * read it: behind spaces, with tabs in it, by backslashes.
 */
function hostOf(href: string | undefined): string {
  const url = href === undefined ? null : URL.parse(href, thisPage);
  if (url?.protocol === 'mailto:') return url.pathname;
  const isWeb = url !== null && ['http:', 'https:', 'ftp:'].includes(url.protocol);
  return isWeb && url.origin !== new URL(thisPage).origin ? url.host : '';
}
