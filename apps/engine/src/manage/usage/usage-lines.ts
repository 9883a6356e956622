import type { ExportedUsage } from './usage-export.repository.js';

export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};

const columns = [
  'project_id',
  'day',
  'agent_id',
  'contact_id',
  'model',
  'model_calls',
  'tool_calls',
  'input_tokens',
  'output_tokens',
  'cost_micros',
] as const satisfies (keyof ExportedUsage)[];

/** Lines of an export: NDJSON, or CSV as in RFC 4180 with a header line. */
export async function* usageLines(
  pages: AsyncIterable<ExportedUsage[]>,
  format: ExportFormat,
): AsyncGenerator<string, void> {
  if (format === 'csv') yield `${columns.join()}\r\n`;
  const line = format === 'csv' ? csvLine : (row: ExportedUsage) => `${JSON.stringify(row)}\n`;
  for await (const rows of pages) yield rows.map(line).join('');
}

function csvLine(row: ExportedUsage): string {
  return `${columns.map((column) => csvField(row[column])).join()}\r\n`;
}

/** A text that a spreadsheet would treat as a formula is marked as text. */
function csvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
