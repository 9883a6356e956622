import { sanitize } from '#libs/sanitizer';
import { table } from './table.mjs';

const size = 1_000_000;
/** @param {string} piece */
const filled = (piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

/** What an attacker or a newsletter may send, 1 MB each: a quadratic rule would take minutes. @type {Record<string, string>} */
const texts = {
  'English prose': filled('The quick brown fox [1] jumps over the <lazy> dog.\n'),
  Persian: filled('می\u200Cخواهم کتاب\u200Cها را بخوانم. '),
  'one run of combining marks': `a${filled('\u0301\u0316')}`,
  'marks on every letter': filled(`a${'\u0301\u0316'.repeat(10)}`),
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

/** Time for 1 MB of each text, best of three. @returns {string} */
export function benchSanitizer() {
  const rows = [
    ...Object.entries(texts).map(([name, text]) => [name, time(text, 'text')]),
    ...Object.entries(pages).map(([name, text]) => [name, time(text, 'html')]),
  ];
  return table(['1 MB of', 'ms'], rows);
}

/** @param {string} text @param {'text' | 'html'} format */
function time(text, format) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const startMs = performance.now();
    sanitize(text, { format, maxChars: 4 * size, maxLines: size });
    best = Math.min(best, performance.now() - startMs);
  }
  return best.toFixed(1);
}
