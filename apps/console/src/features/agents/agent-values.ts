import type { Schema } from '../../api/named-schema.js';

/** The editable fields of an agent. */
export type AgentValues = Pick<
  Schema<'AgentView'>,
  | 'name'
  | 'instructions'
  | 'model'
  | 'fallback_model'
  | 'tools'
  | 'skills'
  | 'python_tools'
  | 'may_do'
  | 'approvers'
  | 'approvers_decide_own'
  | 'allowed_hosts'
  | 'caps'
>;

export const agentFields = ['name', 'instructions', 'model', 'fallback_model', 'allowed_hosts', 'approvers'];

export function valuesOf(agent: Schema<'AgentView'>): AgentValues {
  const { name, instructions, model, fallback_model, tools, skills, python_tools } = agent;
  const { may_do, approvers, approvers_decide_own, allowed_hosts, caps } = agent;
  const has = { tools, skills, python_tools, may_do, approvers, approvers_decide_own, allowed_hosts, caps };
  return { name, instructions, model, fallback_model, ...has };
}

export interface PartProps {
  value: AgentValues;
  onChange: (patch: Partial<AgentValues>) => void;
  error: unknown;
}
