import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
  /** The one agent of a project that takes what no workflow takes. */
  @Column({ type: 'boolean' }) is_chief_of_staff: boolean;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}
