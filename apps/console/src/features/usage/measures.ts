import type { Schema } from '../../api/named-schema.js';
import { usageTexts } from '../../texts/usage.js';
import { grouped } from '../../ui/grouped.js';
import { once } from '../../ui/once.js';
import type { Group, UsageMeasure } from './usage-search.js';

export type Usage = Schema<'UsageView'>;

const microsPerUnit = 1_000_000;

export const measureOf: Readonly<Record<UsageMeasure, (usage: Usage) => number>> = {
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  cost: ({ cost_micros }) => cost_micros / microsPerUnit,
  calls: ({ model_calls, tool_calls }) => model_calls + tool_calls,
};

/** By model, only calls of models are counted. */
export const measureNameOf = (measure: UsageMeasure, by: Group): string =>
  measure === 'calls' && by === 'model' ? usageTexts.totals.models : usageTexts.measures[measure];

const money = once(() => new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
const small = once(() => new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 }));

export function written(measure: UsageMeasure, value: number): string {
  if (measure !== 'cost') return grouped(value);
  return (value < 1 ? small() : money()).format(value);
}
