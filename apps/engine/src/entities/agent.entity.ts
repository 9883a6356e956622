import type { ToolGrade } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What people decide of an agent: what a version of it holds. */
export const agentFields = [
  'name',
  'instructions',
  'model',
  'fallback_model',
  'tools',
  'skills',
  'python_tools',
  'agents',
  'may_do',
  'approvers',
  'approvers_decide_own',
  'allowed_hosts',
  'caps',
] as const satisfies (keyof Agent)[];
export type AgentFields = Pick<Agent, (typeof agentFields)[number]>;

export function fieldsOf(agent: AgentFields): AgentFields {
  return Object.fromEntries(agentFields.map((field) => [field, agent[field]])) as AgentFields;
}

/** Those of a stored version. One from before agents could ask each other names none. */
export function wholeFields(stored: Omit<AgentFields, 'agents'> & Partial<AgentFields>): AgentFields {
  return { agents: [], ...stored };
}

/** Another agent of the project that an agent may ask, as a tool. */
export interface AgentGrant {
  agent_id: string;
  /** Of the tool, for the model. */
  name: string;
  /** What the other agent is for, in words for the model. */
  description: string;
  /** Of a call: the most that the other agent may do in it. */
  grade: ToolGrade;
}

/** Lowers the installation's limits for one agent, never raises them. Days and months are UTC, costs are in millionths. */
export interface AgentCaps {
  steps?: number;
  tool_calls?: number;
  wall_clock_ms?: number;
  run_tokens?: number;
  run_cost_micros?: number;
  contact_day_tokens?: number;
  contact_day_cost_micros?: number;
  day_tokens?: number;
  day_cost_micros?: number;
  contact_month_tokens?: number;
  contact_month_cost_micros?: number;
  month_tokens?: number;
  month_cost_micros?: number;
}

@Entity({ schema: 'engine', name: 'agent' })
@Index('agent_project', ['project_id', 'id'])
@Index('agent_chief_of_staff', ['project_id'], { unique: true, where: 'is_chief_of_staff' })
export class Agent {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** In force. */
  @Column({ type: 'integer', default: 1 }) version: number;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) instructions: string;
  /** Null: the installation's model. */
  @Column({ type: 'text', nullable: true }) model: string | null;
  /** Names of built-in tools that the agent may call. */
  @Column({ type: 'text', array: true }) tools: string[];
  /** Skills of the registry whose tools and knowledge the agent has. */
  @Column({ type: 'text', array: true, default: '{}' }) skills: string[];
  /** Python tools of the registry that the agent has without a Skill. */
  @Column({ type: 'text', array: true, default: '{}' }) python_tools: string[];
  /** Other agents of the project that it may ask. */
  @Column({ type: 'jsonb', default: [] }) agents: AgentGrant[];
  /** Asked when the model does not answer; null: the turn is retried later. */
  @Column({ type: 'text', nullable: true }) fallback_model: string | null;
  /** The highest grade of a call that a trusted turn may make by itself. A higher grade needs an approver. */
  @Column({ type: 'text', default: 'write' }) may_do: ToolGrade;
  /** `key:<id>`, `user:<id>` or `contact:<id>`. Empty: calls that need approval are not offered. */
  @Column({ type: 'text', array: true, default: '{}' }) approvers: string[];
  /** People among them may decide over calls of turns that they asked for. */
  @Column({ type: 'boolean', default: false }) approvers_decide_own: boolean;
  /**
   * Hosts that its turns may reach without approval and without a credential, whoever the sender is and whatever was
   * read.
   */
  @Column({ type: 'text', array: true, default: '{}' }) allowed_hosts: string[];
  @Column({ type: 'jsonb', default: {} }) caps: AgentCaps;
  /** The project's one agent that takes messages which no workflow takes. */
  @Column({ type: 'boolean' }) is_chief_of_staff: boolean;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

/**
 * An agent as it was, is, or may become. A version never changes; the agent's row is a copy of the one in force. One that
 * was never in force is a draft.
 */
@Entity({ schema: 'engine', name: 'agent_version' })
export class AgentVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_version_pkey' }) agent_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'agent_version_pkey' }) version: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'jsonb', transformer: { from: wholeFields, to: (fields: AgentFields) => fields } })
  fields: AgentFields;
  /** The version that it was made from; null: the first. */
  @Column({ type: 'integer', nullable: true }) based_on: number | null;
  /** Why it was made, or put in force, in the words of whoever did it. */
  @Column({ type: 'text' }) note: string;
  /** `key:<id>` or `user:<id>`; null: Gatehouse itself. */
  @Column({ type: 'text', nullable: true }) made_by: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  /** Who put it in force last, and when; null: nobody. */
  @Column({ type: 'text', nullable: true }) promoted_by: string | null;
  @Column({ type: 'timestamptz', nullable: true }) promoted_at: Date | null;
}
