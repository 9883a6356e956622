import { codeIn } from './code-spans.js';
import { replacing, type Rule } from './rule.js';

const opener = '<!--';
/** The shortest comment is `<!-->`: its end begins inside its opener. */
const openerBeforeEnd = 2;
const end = /--!?>/g;
const removed = '[comment removed]';
const unclosed = '[unclosed comment]';

/**
 * HTML comments, which a page does not show: a note replaces them. An unclosed comment hides what follows in some
 * readers and nothing in others: a note replaces its opener, and what follows is shown. In code they stay.
 */
export const htmlComments: Rule = {
  name: 'html_comments',
  apply(text) {
    if (!text.includes(opener)) return { text, times: 0 };
    const isCode = codeIn(text);
    let times = 0;
    let from = 0;
    let result = '';
    let ends = true;
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at)) {
      end.lastIndex = at + openerBeforeEnd;
      if (ends && !end.test(text)) ends = false;
      const last = ends ? end.lastIndex : at + opener.length;
      if (isCode(at, at + opener.length)) {
        at += opener.length;
        continue;
      }
      result += text.slice(from, at) + (ends ? removed : unclosed);
      times += 1;
      from = at = last;
    }
    return { text: result + text.slice(from), times };
  },
};

/**
 * Markdown link definitions (CommonMark 4.7) whose target is not a link: no renderer shows them, so they can hide text
 * for models. `[1]: https://example.com "title"` stays; in code all stay.
 */
export const hiddenReferences: Rule = {
  name: 'hidden_references',
  apply(text) {
    if (!text.includes(']:')) return { text, times: 0 };
    const isCode = codeIn(text);
    return replacing('hidden_references', definition, (match, offset) =>
      isCode(offset, offset + match.length) ? match : `[reference removed]${match.endsWith('\n') ? '\n' : ''}`,
    ).apply(text);
  },
};

const definition = hiddenDefinition();

function hiddenDefinition(): RegExp {
  const label = String.raw`^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(?:\n[ \t]*)?`;
  const aim = String.raw`(?:<[^<>\n]{0,500}>|[^\s<]\S{0,500})`;
  const link = String.raw`<?(?:https?:|mailto:|ftp:|tel:|\.{0,2}/)`;
  const title = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*)(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\))`;
  const noLink = String.raw`(?:<>|<[^<>\n]{0,500}[ \t][^<>\n]{0,500}>|#\S{0,500})`;
  const lineEnd = String.raw`[ \t]*(?:\n|$(?![^]))`;
  return new RegExp(`${label}(?:(?!${link})${aim}${title}|${noLink})${lineEnd}`, 'gm');
}
