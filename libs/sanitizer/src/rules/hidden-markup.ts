import { removing, type Rule } from './rule.js';

const opener = '<!--';
/** The shortest comment is `<!-->`: its end begins inside its opener. */
const openerBeforeEnd = 2;
const end = /--!?>/g;

/**
 * HTML comments, which a page does not show. One that does not end hides the rest of the text where it begins a line
 * (CommonMark 4.6, type 2), and is plain text elsewhere.
 */
export const htmlComments: Rule = {
  name: 'html_comments',
  apply(text) {
    let times = 0;
    let from = 0;
    let result = '';
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at)) {
      end.lastIndex = at + openerBeforeEnd;
      const found = end.exec(text);
      if (!found) {
        // After a removal the lines are others: the next round looks again.
        const rest = times > 0 ? -1 : startOfHiddenBlock(text, at);
        if (rest < 0) break;
        return { text: text.slice(0, rest), times: 1 };
      }
      result += text.slice(from, at);
      times += 1;
      from = at = end.lastIndex;
    }
    return { text: result + text.slice(from), times };
  },
};

/** Where the first opener from `at` on begins a line, or -1. */
function startOfHiddenBlock(text: string, at: number): number {
  const blockStart = /^ {0,3}<!--/gm;
  blockStart.lastIndex = Math.max(0, text.lastIndexOf('\n', at - 1) + 1);
  return blockStart.exec(text)?.index ?? -1;
}

/**
 * Markdown link definitions (CommonMark 4.7) that carry a title, or a target that is no link: no renderer shows them, so
 * they are where text for models is hidden. A plain `[1]: https://...` stays.
 */
export const hiddenReferences = removing('hidden_references', definition());

function definition(): RegExp {
  const label = String.raw`^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(?:\n[ \t]*)?`;
  const target = String.raw`(?:<[^<>\n]{0,500}>|[^\s<]\S{0,500})`;
  const title = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*)(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\))`;
  const noLink = String.raw`(?:<>|<[^<>\n]{0,500}[ \t][^<>\n]{0,500}>|#\S{0,500})`;
  const end = String.raw`[ \t]*(?:\n|$(?![^]))`;
  return new RegExp(`${label}(?:${target}${title}|${noLink})${end}`, 'gm');
}
