/**
 * A Markdown table, with columns aligned for the terminal.
 * @param {string[]} head
 * @param {Array<Array<string | number>>} rows
 */
export function table(head, rows) {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...all.slice(1).map(line)].join('\n');
}

/** @param {number[]} values @returns {number} the median */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** @param {number} value @param {number} [digits] */
export const shown = (value, digits = 1) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
