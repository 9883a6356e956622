import { WorkRow } from '#libs/work';
import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { NotificationTarget } from './notification-target.entity.js';

/**
 * A webhook still to be delivered. Its id is that of the grant's event. A `dead` one is sent when the project sets its
 * receiver again.
 */
@Entity({ schema: 'vault', name: 'notification' })
@Index('notification_due_idx', ['due_at'], { where: `state IN ('queued', 'running')` })
@Index('notification_project_idx', ['project_id', 'credential_id'])
export class Notification extends WorkRow<'queued' | 'running' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'notification_pkey' }) id: string;
  @Column({ type: 'text' }) project_id: string;
  /** The credential whose state changed. */
  @Column({ type: 'text' }) credential_id: string;
  /** The bytes that are signed and sent. */
  @Column({ type: 'text' }) body: string;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  @ManyToOne(() => NotificationTarget, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'notification_target_fkey' })
  target: Relation<NotificationTarget>;
}
