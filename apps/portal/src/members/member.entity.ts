import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { RoleName } from '../api-keys/roles.js';

/** A user's membership in an organization. */
@Entity({ schema: 'portal', name: 'member' })
@Index('member_user_idx', ['user_id'])
export class Member {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_pkey' }) organization_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_pkey' }) user_id: string;
  /** The member's name in this organization. */
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) role: RoleName;
  @Column({ type: 'timestamptz', nullable: true }) suspended_at: Date | null;
  /** When they last signed in here; null: invited, but never signed in. */
  @Column({ type: 'timestamptz', nullable: true }) last_seen_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
