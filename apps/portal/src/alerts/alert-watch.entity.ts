import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A project with rules: whoever claims the row looks at what needs attention there, and queues it again. */
@Entity({ schema: 'portal', name: 'alert_watch' })
@Index('alert_watch_due_idx', ['due_at'], { where: `state IN ('queued', 'running')` })
export class AlertWatch extends WorkRow<'queued' | 'running'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'alert_watch_pkey' }) project_id: string;
  @Column({ type: 'text' }) organization_id: string;
}
