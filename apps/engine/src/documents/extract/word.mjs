import { readXml } from './xml.mjs';

const breaks = new Set(['w:br', 'w:cr']);

/**
 * Deleted and hidden text is left out. Pages are those that Word last laid out, where the file says so.
 * @param {string} xml @param {import('./refused.mjs').Written} written
 */
export function wordText(xml, written) {
  let inText = false;
  let hidden = false;
  let page = 1;
  let cells = 0;
  let tables = 0;
  readXml(xml, {
    open: (name, attributes) => {
      if (name === 'w:t') inText = true;
      else if (name === 'w:r') hidden = false;
      else if (name === 'w:vanish') hidden = !/^(0|false|off)$/.test(attributes['w:val'] ?? '');
      else if (name === 'w:tab') written.add('\t');
      else if (name === 'w:lastRenderedPageBreak') written.add(`\n[page ${(page += 1)}]\n`);
      else if (breaks.has(name)) written.add('\n');
      else if (name === 'w:pStyle') written.add(headingMark(attributes['w:val'] ?? ''));
      else if (name === 'w:tbl') tables += 1;
      else if (name === 'w:tr') cells = 0;
      else if (name === 'w:tc') written.add((cells += 1) > 1 ? ' | ' : '');
    },
    text: (text) => {
      if (inText && !hidden) written.add(text);
    },
    close: (name) => {
      if (name === 'w:t') inText = false;
      else if (name === 'w:tr') written.add('\n');
      else if (name === 'w:tbl') tables -= 1;
      else if (name === 'w:p') written.add(tables > 0 ? ' ' : '\n\n');
    },
  });
}

/** Styles of headings are numbered in every language of Word, or called Title. */
function headingMark(/** @type {string} */ style) {
  const [, level] = /^(?:heading|berschrift|titre|ttulo|titolo|kop|rubrik|nagwek)\s?([1-6])$/i.exec(style) ?? [];
  if (level) return `${'#'.repeat(Number(level))} `;
  return style === 'Title' ? '# ' : '';
}
