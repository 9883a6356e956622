import { Tokenizer } from 'htmlparser2';

const UNSHOWN = new Set(['script', 'style', 'head', 'title', 'template']);
const BLOCKS = new Set(
  'address article blockquote dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);

/**
 * The text of a mail without a plain text part: a line for each block, without what is hidden. It uses the tokenizer,
 * since the parser above it takes time quadratic in the open tags: ten seconds for 500 KB of `<div>`.
 */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  let unshown = 0;
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        const name = nameAt(start, end);
        if (UNSHOWN.has(name)) unshown++;
        else if (BLOCKS.has(name) || name === 'br') pieces.push('\n');
        if (name === 'li') pieces.push('- ');
        if (name === 'td') pieces.push(' ');
      },
      onclosetag(start, end) {
        const name = nameAt(start, end);
        if (UNSHOWN.has(name)) unshown = Math.max(0, unshown - 1);
        else if (BLOCKS.has(name)) pieces.push('\n');
      },
      ontext(start, end) {
        if (unshown === 0) pieces.push(html.slice(start, end).replace(/\s+/g, ' '));
      },
      ontextentity(codePoint) {
        if (unshown === 0) pieces.push(String.fromCodePoint(codePoint));
      },
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

  function nameAt(start: number, end: number): string {
    return html.slice(start, end).toLowerCase();
  }
}
