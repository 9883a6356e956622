import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export const exportDetails = ['agent', 'contact', 'model'] as const;
export type ExportDetail = (typeof exportDetails)[number];

/** One line of an export. Columns that its level of detail does not separate are null. */
export interface ExportedUsage {
  project_id: string;
  /** UTC, YYYY-MM-DD. */
  day: string;
  agent_id: string | null;
  contact_id: string | null;
  model: string | null;
  model_calls: number;
  /** Null by model: agents call tools, models do not. */
  tool_calls: number | null;
  input_tokens: number;
  output_tokens: number;
  /** Millionths of the currency of MODEL_PRICES. */
  cost_micros: number;
}

export interface ExportSpan {
  organizationId: string;
  /** Null: all projects of the organization. */
  projectId: string | null;
  /** First and last day, YYYY-MM-DD. */
  from: string;
  to: string;
  detail: ExportDetail;
}

const rowsAtATime = 2_000;
const keysOf: Record<ExportDetail, string[]> = {
  agent: ['agent_id'],
  contact: ['agent_id', 'contact_id'],
  model: ['model'],
};
const described = ['agent_id', 'contact_id', 'model'];

@Injectable()
export class UsageExportRepository {
  constructor(private readonly db: DataSource) {}

  /** All usage of a span by project and day, in pages. Each page begins after the last row of the previous one. */
  async *pages(span: ExportSpan): AsyncGenerator<ExportedUsage[]> {
    const keys = ['project_id', 'day', ...keysOf[span.detail]] as (keyof ExportedUsage)[];
    for (let last: ExportedUsage | undefined; ;) {
      const rows = await this.page(span, keys, last);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsAtATime) return;
      last = rows.at(-1);
    }
  }

  private async page(
    { organizationId, projectId, from, to, detail }: ExportSpan,
    keys: (keyof ExportedUsage)[],
    last: ExportedUsage | undefined,
  ): Promise<ExportedUsage[]> {
    const given: unknown[] = [organizationId, from, to];
    const parameter = (value: unknown): string => `$${given.push(value)}`;
    const ofModels = detail === 'model';
    const where = ['organization_id = $1', 'day BETWEEN $2::date AND $3::date'];
    if (projectId !== null) where.push(`project_id = ${parameter(projectId)}`);
    if (last) {
      const behind = keys.map((key) => `${parameter(last[key])}${key === 'day' ? '::date' : ''}`);
      where.push(`(${keys.join(', ')}) > (${behind.join(', ')})`);
    }
    const shown = described.map((column) => (keysOf[detail].includes(column) ? column : `NULL AS ${column}`));
    const rows = (await this.db.query(
      `SELECT project_id, to_char(day, 'YYYY-MM-DD') AS day, ${shown.join(', ')}, sum(model_calls) AS model_calls,
              ${ofModels ? 'NULL' : 'sum(tool_calls)'} AS tool_calls, sum(input_tokens) AS input_tokens,
              sum(output_tokens) AS output_tokens, sum(cost_micros) AS cost_micros
         FROM engine.${ofModels ? 'model_usage' : 'usage'} AS u WHERE ${where.join(' AND ')}
        GROUP BY ${keys.map((key) => `u.${key}`).join(', ')} ORDER BY ${keys.map((key) => `u.${key}`).join(', ')}
        LIMIT ${rowsAtATime}`,
      given,
    )) as (Pick<ExportedUsage, 'project_id' | 'day' | 'agent_id' | 'contact_id' | 'model'> & Record<string, string>)[];
    return rows.map((row) => ({
      project_id: row.project_id,
      day: row.day,
      agent_id: row.agent_id,
      contact_id: row.contact_id,
      model: row.model,
      model_calls: Number(row['model_calls']),
      tool_calls: ofModels ? null : Number(row['tool_calls']),
      input_tokens: Number(row['input_tokens']),
      output_tokens: Number(row['output_tokens']),
      cost_micros: Number(row['cost_micros']),
    }));
  }
}
