import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Starts a workflow for the events of an App. */
@Entity({ schema: 'router', name: 'trigger' })
@Index('trigger_by_project', ['project_id', 'app_id'])
export class TriggerRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'trigger_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'integer' }) workflow_id: number;
  /** Empty: every event of the App. */
  @Column({ type: 'jsonb' }) event_types: string[];
  /** A CEL expression over `event`, `contact`, `metadata` and `request`; null: every such event. */
  @Column({ type: 'text', nullable: true }) where: string | null;
  @Column({ type: 'integer', nullable: true }) limit_per_minute: number | null;
  @Column({ type: 'integer', nullable: true }) contact_limit_per_hour: number | null;
  /** The run waits until the sender has sent nothing more for this long … */
  @Column({ type: 'integer', nullable: true }) debounce_seconds: number | null;
  /** … but no longer than this. */
  @Column({ type: 'integer', nullable: true }) debounce_max_seconds: number | null;
  @Column({ type: 'boolean' }) active: boolean;
  @Column({ type: 'timestamptz' }) created_at: Date;
}

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
  /** The JSON Schema that the output of its runs holds to; null: they have none. */
  @Column({ type: 'jsonb', nullable: true }) output_schema: object | null;
  @Column({ type: 'text' }) status: WorkflowStatus;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
