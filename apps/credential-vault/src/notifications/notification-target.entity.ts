import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** The receiver of a project's change notifications, and the secret that signs them. */
@Entity({ schema: 'vault', name: 'notification_target' })
@Index('notification_target_kid_idx', ['kid'])
export class NotificationTarget {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'notification_target_pkey' }) project_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) url: string;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  @Column({ type: 'bytea' }) secret: Buffer;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
