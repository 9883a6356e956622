import type { Page } from '../api/project-query.js';

export type ExportFormat = 'csv' | 'json';

interface Exported<Row> {
  rows: Row[];
  /** There are more rows than one file has. */
  cut: boolean;
}

const mostRows = 10_000;

/** All rows of a list, page by page. @param onCount gets how many there are by now */
export async function rowsOf<Row>(
  ask: (cursor: string | undefined) => Promise<Page<Row>>,
  onCount: (count: number) => void,
): Promise<Exported<Row>> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    rows.push(...page.data);
    onCount(rows.length);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && rows.length < mostRows);
  return { rows: rows.slice(0, mostRows), cut: cursor !== undefined || rows.length > mostRows };
}

/** Saves rows, as the API gives them, as a file. */
export function saveRows(name: string, format: ExportFormat, rows: readonly object[]): void {
  const text = format === 'csv' ? csvOf(rows) : `${JSON.stringify(rows, null, 2)}\n`;
  const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${new Date().toISOString().slice(0, 10)}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** RFC 4180, with a header line. What a cell cannot hold, a list or an object, is JSON. */
function csvOf(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (row: object): string =>
    columns.map((column) => csvField((row as Record<string, unknown>)[column])).join();
  return [columns.map(csvField).join(), ...rows.map(line), ''].join('\r\n');
}

/** What a spreadsheet would treat as a formula is marked as text, also where it takes `;` or a tab for the end of a cell. */
function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  const text = written.replaceAll(/(^|[;\t\r\n])(?=[=+\-@\t\r])/g, "$1'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
