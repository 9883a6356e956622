import { sanitize, sanitizeReply } from '#libs/sanitizer';
import { table } from './table.mjs';

const size = 1_000_000;
/** @param {string} piece */
const filled = (piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/**
 * Input that an attacker or a newsletter may send, 1 MB each: a quadratic rule would take minutes.
 * @type {Record<string, string>}
 */
const texts = {
  'English prose': filled('The quick brown fox [1] jumps over the <lazy> dog.\n'),
  Persian: filled('می\u200Cخواهم کتاب\u200Cها را بخوانم. '),
  'one run of combining marks': `a${filled('\u0301\u0316')}`,
  'marks on every letter': filled(`a${'\u0301\u0316'.repeat(10)}`),
  'code spans': filled('`a` ``b``` '),
  'code fences': filled('```\n<!-- a -->\n~~~\n'),
  'comment openers': filled('<!--'),
  'nested comments': filled('<!') + filled('-- a -->'),
  'token openers': filled('<|a'),
  'fence openers': filled('[/ехтеrnа'),
  'escape openers': filled('\x1b]'),
  'link definitions': filled('[a]: b "'),
  'spaces after a definition': `[a]:${filled(' ')}`,
  joiners: filled('\u200D\u200Cا'),
  'selectors on digits': filled('1\uFE0F'),
};

/** @type {Record<string, string>} */
const pages = {
  'HTML: nested elements': filled('<b>'),
  'HTML: unclosed links': filled('<a>'),
  'HTML: unclosed paragraphs': filled('<p>'),
  'HTML: unclosed attributes': filled('<a href="'),
  'HTML: attributes of one element': `<a ${filled('b=c ')}`,
  'HTML: comments in a style': `<b style="${filled('/*a')}">x`,
  'HTML: unopened ends, deep inside': `${'<b>'.repeat(900)}${filled('</u>')}`,
  'HTML: unopened ends': filled('<i></u>'),
  'HTML: links in links': filled('<a href=//x.example>y'),
  'HTML: a newsletter': filled('<div style="color:red"><p>Hello <a href="https://x.example/">you</a>&nbsp;</p></div>'),
};

/** Output that a model may be made to write, 1 MB each. @type {Record<string, string>} */
const replies = {
  'a reply: prose': filled('The quick brown fox jumps over the lazy dog, see https://x.example/a?b=c (1).\n'),
  'a reply: Markdown': filled('## A **title**\n\n- [a link](https://x.example/ "t") and `code`\n\n```js\na < b\n```\n'),
  'a reply: images': filled('![a](https://x.example/?q=1) '),
  'a reply: image openers': filled('![]('),
  'a reply: references': filled('![a][b]\n\n[b]: https://x.example/\n\n'),
  'a reply: labels': `![a]: //x\n${filled('[a[')}`,
  'a reply: elements': filled('<img src=x> '),
  'a reply: element openers': filled('<b '),
  'a reply: quotes of an element': `<b ${filled('="')}>`,
  'a reply: thoughts': filled('<think>a</think> '),
  'a reply: thoughts that do not end': filled('x <think> '),
  'a reply: one long link': `https://x.example/${filled('a')}`,
  'a reply: long links': filled(`https://x.example/${'a'.repeat(300)} `),
};

/** The ratio's reference: letters with marks, decomposed and composed. */
const prose = filled('Größe, naïve café: Tiếng Việt có dấu thanh. ');

/**
 * Time for 1 MB of each text, best of three, and how often `String.normalize` processes 1 MB in that time.
 * @returns {string}
 */
export function benchSanitizer() {
  const rows = [
    ...Object.entries(texts).map(([name, text]) => measured(name, text, 'text')),
    ...Object.entries(pages).map(([name, text]) => measured(name, text, 'html')),
    ...Object.entries(replies).map(([name, text]) => row(name, () => sanitizeReply(text))),
  ];
  return table(['1 MB of', 'ms', 'of String.normalize'], rows);
}

/** @param {string} name @param {string} text @param {'text' | 'html'} format @returns {string[]} */
function measured(name, text, format) {
  return row(name, () => sanitize(text, { format, maxChars: 4 * size, maxLines: size }));
}

/** @param {string} name @param {() => unknown} work @returns {string[]} */
function row(name, work) {
  const ms = best(work);
  return [name, ms.toFixed(1), (ms / best(() => prose.normalize('NFD').normalize('NFC'))).toFixed(1)];
}

/** @param {() => unknown} work @returns {number} ms */
function best(work) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const startMs = performance.now();
    work();
    least = Math.min(least, performance.now() - startMs);
  }
  return least;
}
