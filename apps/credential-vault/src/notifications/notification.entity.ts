import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { NotificationTarget } from './notification-target.entity.js';

/** A webhook still to be delivered. Its id is that of the grant's event. */
@Entity({ schema: 'vault', name: 'notification' })
@Index('notification_next_idx', ['next_try_at'], { where: 'given_up_at IS NULL' })
@Index('notification_project_idx', ['project_id', 'credential_id'])
export class Notification {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'notification_pkey' }) id: string;
  @Column({ type: 'text' }) project_id: string;
  /** The credential whose state changed. */
  @Column({ type: 'text' }) credential_id: string;
  /** The bytes that are signed and sent. */
  @Column({ type: 'text' }) body: string;
  @Column({ type: 'integer', default: 0 }) attempts: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) next_try_at: Date;
  /** Why the last try failed. */
  @Column({ type: 'text', nullable: true }) error: string | null;
  /** No more tries until the project sets its receiver again. */
  @Column({ type: 'timestamptz', nullable: true }) given_up_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  @ManyToOne(() => NotificationTarget, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'notification_target_fkey' })
  target: Relation<NotificationTarget>;
}
