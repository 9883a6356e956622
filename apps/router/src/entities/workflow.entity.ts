import { Column, Entity, PrimaryColumn } from 'typeorm';

export type WorkflowStatus = 'active' | 'suspended' | 'off';

/** What a run does: an agent with instructions. The id is an integer, counted per project (spec 2.8). */
@Entity({ schema: 'router', name: 'workflow' })
export class WorkflowRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'workflow_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'workflow_pkey' }) id: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) name: string;
  /** Null: the project's Chief of Staff. */
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'text' }) instructions: string;
  @Column({ type: 'text' }) status: WorkflowStatus;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
