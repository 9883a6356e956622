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
