import { unzipSync } from 'fflate';
import { Refused, Written } from './refused.mjs';
import { sheetTexts } from './sheets.mjs';
import { slideTexts } from './slides.mjs';
import { wordText } from './word.mjs';

/** Parts with text, and those that say in which order they come. */
const wanted =
  /^(word\/document\.xml|ppt\/(presentation|slides\/slide\d+)\.xml|xl\/(workbook|sharedStrings|styles|worksheets\/sheet\d+)\.xml|(ppt|xl)\/_rels\/[a-z]+\.xml\.rels)$/i;
const maxParts = 20_000;

/**
 * The text of a Word, Excel or PowerPoint file (Office Open XML): headings as such, rows of tables as lines, each sheet
 * under its name and each slide under its number.
 * @param {Uint8Array} bytes @param {import('./refused.mjs').Limits} limits
 * @returns {string}
 * @throws {Refused}
 */
export function officeText(bytes, limits) {
  const parts = unpacked(bytes, limits.maxBytes);
  const written = new Written(limits.maxChars);
  const document = parts['word/document.xml'];
  if (document) wordText(document, written);
  else if (parts['ppt/presentation.xml']) slideTexts(parts, written, limits.maxPages);
  else if (parts['xl/workbook.xml']) sheetTexts(parts, written);
  else throw new Refused('not_text');
  const { text } = written;
  if (text === '') throw new Refused('not_text');
  return text;
}

/** The parts of an archive. What it declares is what is taken: more would not fit the space that is made for it. */
function unpacked(/** @type {Uint8Array} */ bytes, /** @type {number} */ maxBytes) {
  let parts = 0;
  let size = 0;
  const packed = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      parts += 1;
      if (parts > maxParts) throw new Refused('too_large');
      if (!wanted.test(name)) return false;
      size += originalSize;
      if (size > maxBytes) throw new Refused('too_large');
      return true;
    },
  });
  const decoder = new TextDecoder();
  return Object.fromEntries(Object.entries(packed).map(([name, data]) => [name, decoder.decode(data)]));
}
