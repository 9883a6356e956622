import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { NotificationTarget } from './notification-target.entity.js';

/** One webhook that is still to be delivered; its id is that of the grant's event. */
@Entity({ schema: 'vault', name: 'notification' })
@Index('notification_next_idx', ['next_try_at'])
export class Notification {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'notification_pkey' }) id: string;
  @Column({ type: 'text' }) project_id: string;
  /** The bytes that are signed and sent. */
  @Column({ type: 'text' }) body: string;
  @Column({ type: 'integer', default: 0 }) attempts: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) next_try_at: Date;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  @ManyToOne(() => NotificationTarget, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'notification_target_fkey' })
  target: Relation<NotificationTarget>;
}
