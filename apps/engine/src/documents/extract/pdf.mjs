import { getDocumentProxy } from 'unpdf';
import { Refused, Written } from './refused.mjs';

/**
 * The text of a PDF, each page under its number. A file without text, as of a scanner, is refused.
 * @param {Uint8Array} bytes @param {import('./refused.mjs').Limits} limits
 * @returns {Promise<string>}
 * @throws {Refused}
 */
export async function pdfText(bytes, { maxChars, maxPages }) {
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, stopAtErrors: false, verbosity: 0 });
  if (pdf.numPages > maxPages) throw new Refused('too_large');
  const written = new Written(maxChars);
  let words = false;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    page.cleanup();
    words ||= /\S/.test(text);
    written.add(`\n\n## Page ${number}\n\n${text}`);
  }
  if (!words) throw new Refused('not_text');
  return written.text;
}
