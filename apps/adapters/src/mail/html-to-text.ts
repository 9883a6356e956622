import { Parser } from 'htmlparser2';

const UNSHOWN = new Set(['script', 'style', 'head', 'title', 'template']);
const BLOCKS = new Set(
  'address article blockquote br dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);

/** The words of a mail that has no plain text part: a line for each block, without what is not shown. */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  let unshown = 0;
  const parser = new Parser({
    onopentag(name) {
      if (UNSHOWN.has(name)) unshown++;
      else if (BLOCKS.has(name)) pieces.push('\n');
      if (name === 'li') pieces.push('- ');
      if (name === 'td') pieces.push(' ');
    },
    onclosetag(name) {
      if (UNSHOWN.has(name)) unshown = Math.max(0, unshown - 1);
      else if (BLOCKS.has(name)) pieces.push('\n');
    },
    ontext(text) {
      if (unshown === 0) pieces.push(text.replace(/\s+/g, ' '));
    },
  });
  parser.end(html);
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
