import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { RoleName } from './roles.js';

/** What a user is in an organization. */
@Entity({ schema: 'portal', name: 'member' })
@Index('member_user_idx', ['user_id'])
export class Member {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_pkey' }) organization_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_pkey' }) user_id: string;
  /** As this organization calls them. */
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) role: RoleName;
  @Column({ type: 'timestamptz', nullable: true }) suspended_at: Date | null;
  /** Of their last sign-in here; null: invited, and never came. */
  @Column({ type: 'timestamptz', nullable: true }) last_seen_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
