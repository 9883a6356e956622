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
  @Column({ type: 'boolean' }) active: boolean;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
