import type { ToolGrade } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Lowers the installation's limits for one agent, never raises them; the day is UTC. Costs in millionths. */
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
}

@Entity({ schema: 'engine', name: 'agent' })
@Index('agent_project', ['project_id', 'id'])
@Index('agent_chief_of_staff', ['project_id'], { unique: true, where: 'is_chief_of_staff' })
export class Agent {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) instructions: string;
  /** Null runs on the installation's model. */
  @Column({ type: 'text', nullable: true }) model: string | null;
  /** Names of built-in tools that the agent may call. */
  @Column({ type: 'text', array: true }) tools: string[];
  /** Skills of the registry whose tools and knowledge it has. */
  @Column({ type: 'text', array: true, default: '{}' }) skills: string[];
  /** Python tools of the registry that it has without a Skill. */
  @Column({ type: 'text', array: true, default: '{}' }) python_tools: string[];
  /** Answers when the model does not; null: the turn tries again later. */
  @Column({ type: 'text', nullable: true }) fallback_model: string | null;
  /** What a trusted turn may do by itself; a call of a higher grade needs an approver. */
  @Column({ type: 'text', default: 'write' }) may_do: ToolGrade;
  /** `key:<id>`, `user:<id>` or `contact:<id>`. Nobody: calls that need approval are not offered. */
  @Column({ type: 'text', array: true, default: '{}' }) approvers: string[];
  /** Hosts that its turns reach by themselves, without a credential, whoever sent the event and whatever they have read. */
  @Column({ type: 'text', array: true, default: '{}' }) allowed_hosts: string[];
  @Column({ type: 'jsonb', default: {} }) caps: AgentCaps;
  /** The one agent of a project that takes what no workflow takes. */
  @Column({ type: 'boolean' }) is_chief_of_staff: boolean;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}
