/** Aligns rows in columns. The last column is not padded. */
export function table(head: string[], rows: (string | number | null | undefined)[][]): string[] {
  const texts = [head, ...rows.map((row) => row.map(cell))];
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts.map((row) =>
    row
      .map((text, column) => (column === row.length - 1 ? text : text.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** A value on one line. Text from others may contain anything, also characters that move a terminal's cursor. */
function cell(value: string | number | null | undefined): string {
  return String(value ?? '-').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** A thing's facts, one per line. */
export function facts(pairs: [string, string | number | null | undefined][]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`);
}
