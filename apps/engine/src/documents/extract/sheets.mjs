import { readXml, relationsIn } from './xml.mjs';

const dayMs = 86_400_000;
/** Day 0 of the numbers that stand for dates, which count a 29 February 1900. */
const firstDay = Date.UTC(1899, 11, 30);
const dateFormats = new Set([14, 15, 16, 17, 22, 27, 30, 36, 50, 57]);
const columnsShown = 1_000;

/**
 * Each sheet under its name, a row a line, with the values that it shows, dates as such.
 * @param {Record<string, string>} parts @param {import('./refused.mjs').Written} written
 */
export function sheetTexts(parts, written) {
  const texts = sharedTexts(parts['xl/sharedStrings.xml'] ?? '');
  const dates = dateStyles(parts['xl/styles.xml'] ?? '');
  const targets = relationsIn(parts['xl/_rels/workbook.xml.rels']);
  readXml(parts['xl/workbook.xml'] ?? '', {
    open: (tag, { name = '', 'r:id': id = '' }) => {
      if (tag !== 'sheet') return;
      const target = (targets.get(id) ?? '').replace(/^\/xl\//, '');
      written.add(`\n\n## ${name}\n\n`);
      sheetText(parts[`xl/${target}`] ?? '', { texts, dates, written });
    },
  });
}

/** @param {string} xml @returns {string[]} */
function sharedTexts(xml) {
  /** @type {string[]} */
  const texts = [];
  let inText = false;
  // How a word is read aloud (Japanese) is no part of it.
  let spoken = false;
  readXml(xml, {
    open: (name) => {
      if (name === 'si') texts.push('');
      else if (name === 'rPh') spoken = true;
      else if (name === 't') inText = true;
    },
    text: (text) => {
      if (inText && !spoken) texts.push(`${texts.pop() ?? ''}${text}`);
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') spoken = false;
    },
  });
  return texts;
}

/** The styles of cells that show a number as a date. @param {string} xml @returns {Set<number>} */
function dateStyles(xml) {
  const formats = new Set(dateFormats);
  /** @type {Set<number>} */
  const styles = new Set();
  let count = 0;
  let inCells = false;
  readXml(xml, {
    open: (name, { numFmtId: format = '', formatCode: code = '' }) => {
      if (name === 'numFmt' && /[yd]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))) formats.add(Number(format));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        if (formats.has(Number(format))) styles.add(count);
        count += 1;
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return styles;
}

/** @param {string} xml @param {{texts: string[], dates: Set<number>, written: import('./refused.mjs').Written}} book */
function sheetText(xml, { texts, dates, written }) {
  /** @type {string[]} */
  let row = [];
  let column = 0;
  /** @type {{type: string, style: number, value: string}} */
  let cell = { type: '', style: 0, value: '' };
  let inValue = false;
  readXml(xml, {
    open: (name, { r: place = '', t: type = 'n', s: style = '0' }) => {
      if (name === 'row') row = [];
      else if (name === 'c') {
        column = columnOf(place) ?? row.length;
        cell = { type, style: Number(style), value: '' };
      } else if (name === 'v' || name === 't') inValue = true;
    },
    text: (text) => {
      if (inValue) cell.value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') inValue = false;
      else if (name === 'c' && column < columnsShown) {
        while (row.length < column) row.push('');
        row[column] = shown(cell, texts, dates).replace(/\s+/g, ' ');
      } else if (name === 'row' && row.some((value) => value !== '')) written.add(`${row.join(' | ')}\n`);
    },
  });
}

/**
 * @param {{type: string, style: number, value: string}} cell @param {string[]} texts @param {Set<number>} dates
 * @returns {string}
 */
function shown({ type, style, value }, texts, dates) {
  if (type === 's') return texts[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const number = Number(value);
  if (type !== 'n' || value === '' || !dates.has(style) || !(number > 0 && number < 2_958_466)) return value;
  const text = new Date(firstDay + Math.round(number * dayMs)).toISOString();
  return number % 1 === 0 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}

/** The column of a place such as `AB12`, from 0. @param {string} place @returns {number | null} */
function columnOf(place) {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(place) ?? [];
  if (letters === '') return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
