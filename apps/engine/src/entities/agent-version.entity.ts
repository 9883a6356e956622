import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AgentFields } from './agent.entity.js';

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
  @Column({ type: 'jsonb' }) fields: AgentFields;
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
