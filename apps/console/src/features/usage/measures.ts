import type { Schema } from '../../api/types.js';
import type { UsageMeasure } from './usage-search.js';

export type Usage = Schema<'UsageView'>;

const microsPerUnit = 1_000_000;

export const measureOf: Readonly<Record<UsageMeasure, (usage: Usage) => number>> = {
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  cost: ({ cost_micros }) => cost_micros / microsPerUnit,
  calls: ({ model_calls, tool_calls }) => model_calls + tool_calls,
};

const whole = new Intl.NumberFormat();
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

export const written = (measure: UsageMeasure, value: number): string =>
  (measure === 'cost' ? money : whole).format(value);
