import type { Schema } from '../../api/client.js';
import { useCost } from '../../api/usage.js';
import { usageTexts } from '../../texts/usage.js';
import { grouped } from '../../ui/numbers.js';
import type { UsageBy, UsageMeasure } from '../../app/search-values.js';
import { useAgentName } from '../../api/choices.js';
import { usePrincipalName } from '../../api/principals.js';

export type Usage = Schema<'UsageView'>;

const microsPerUnit = 1_000_000;

export const measureOf: Readonly<Record<UsageMeasure, (usage: Usage) => number>> = {
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  cost: ({ cost_micros }) => cost_micros / microsPerUnit,
  calls: ({ model_calls, tool_calls }) => model_calls + tool_calls,
};

/** By model, only calls of models are counted. */
export const measureNameOf = (measure: UsageMeasure, by: UsageBy): string =>
  measure === 'calls' && by === 'model' ? usageTexts.totals.models : usageTexts.measures[measure];

/** Writes a value of a measure: a cost in the currency of the installation. */
export function useWritten(): (measure: UsageMeasure, value: number) => string {
  const costOf = useCost();
  return (measure, value) => (measure === 'cost' ? costOf(value * microsPerUnit) : grouped(value));
}

/** Whose usage it is, by id. */
export const idOf = (by: UsageBy, usage: Usage): string => usage[idFields[by]] ?? '';

const idFields = { agent: 'agent_id', contact: 'contact_id', model: 'model' } as const satisfies Record<
  UsageBy,
  keyof Usage
>;

/** Names whose usage it is. */
export function useNames(by: UsageBy, rows: readonly Usage[]): (id: string) => string {
  const agentName = useAgentName();
  const nameOf = usePrincipalName(rows.flatMap(({ contact_id: id }) => (id ? `contact:${id}` : [])));
  if (by === 'model') return (id) => id;
  if (by === 'agent') return (id) => (id === '' ? usageTexts.noAgent : agentName(id));
  return (id) => (id === '' ? usageTexts.noContact : nameOf(`contact:${id}`).replace(/^contact:/, ''));
}
