import { type ListRead, ListReads } from '#libs/list-reads';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';

export interface UsageRow {
  day: string | null;
  agent_id: string | null;
  contact_id: string | null;
  model: string | null;
  model_calls: number;
  tool_calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_micros: number;
  audio_seconds: number;
}

export type UsageGroup = 'day' | 'agent' | 'contact' | 'model';

const columnOf: Record<UsageGroup, string> = { day: 'day', agent: 'agent_id', contact: 'contact_id', model: 'model' };

@Injectable()
export class UsageRepository {
  constructor(private readonly reads: ListReads) {}

  /** Sums over a span of days (inclusive), by group; highest cost first, at most 1,000. May lag. */
  async sums(caller: Principal, from: string, to: string, groups: UsageGroup[]): Promise<ListRead<UsageRow[]>> {
    const by = groups.map((group) => columnOf[group]);
    const kept = Object.entries(columnOf).map(([group, column]) => {
      const shown = column === 'day' ? "to_char(day, 'YYYY-MM-DD')" : column;
      return groups.includes(group as UsageGroup) ? `${shown} AS ${column}` : `NULL AS ${column}`;
    });
    // Usage of models is counted separately: the rows of agents and contacts name none.
    const ofModels = groups.includes('model');
    const read = await this.reads.read('usage', caller, (db) =>
      db.query<Record<string, string>[]>(
        `SELECT ${kept.join(', ')}, sum(model_calls) AS model_calls, ${ofModels ? '0' : 'sum(tool_calls)'} AS tool_calls,
              sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost_micros) AS cost_micros,
              ${ofModels ? 'sum(audio_seconds)' : '0'} AS audio_seconds
         FROM engine.${ofModels ? 'model_usage' : 'usage'} WHERE organization_id = $1 AND project_id = $2 AND day BETWEEN $3::date AND $4::date
        ${by.length > 0 ? `GROUP BY ${by.join(', ')}` : 'HAVING count(*) > 0'}
        ORDER BY cost_micros DESC, input_tokens DESC LIMIT 1000`,
        [caller.organizationId, caller.projectId, from, to],
      ),
    );
    const rows = read.value.map((row) => ({
      day: row['day'] ?? null,
      agent_id: row['agent_id'] ?? null,
      contact_id: row['contact_id'] ?? null,
      model: row['model'] ?? null,
      model_calls: Number(row['model_calls']),
      tool_calls: Number(row['tool_calls']),
      input_tokens: Number(row['input_tokens']),
      output_tokens: Number(row['output_tokens']),
      cost_micros: Number(row['cost_micros']),
      audio_seconds: Number(row['audio_seconds']),
    }));
    return { ...read, value: rows };
  }
}
