import { useAgentName } from '../../api/agents.js';
import { usePrincipalName } from '../../api/principals.js';
import { usageTexts } from '../../texts/usage.js';
import type { Usage } from './measures.js';
import type { Group } from './usage-search.js';

/** Whose usage it is, by id. */
export const idOf = (by: Group, usage: Usage): string => usage[idFields[by]] ?? '';

const idFields = { agent: 'agent_id', contact: 'contact_id', model: 'model' } as const satisfies Record<
  Group,
  keyof Usage
>;

/** Names whose usage it is. */
export function useNames(by: Group, rows: readonly Usage[]): (id: string) => string {
  const agentName = useAgentName();
  const nameOf = usePrincipalName(rows.flatMap(({ contact_id: id }) => (id ? `contact:${id}` : [])));
  if (by === 'model') return (id) => id;
  if (by === 'agent') return (id) => agentName(id || null);
  return (id) => (id === '' ? usageTexts.noContact : nameOf(`contact:${id}`).replace(/^contact:/, ''));
}
