import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

export type SignInMethod = 'link' | 'oidc';

/** A signed-in browser. */
@Entity({ schema: 'portal', name: 'member_session' })
@Index('member_session_hash_key', ['hash'], { unique: true })
@Index('member_session_user_idx', ['user_id', 'id'])
export class MemberSession {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'member_session_pkey' }) id: string;
  /** SHA-256 of the cookie's value, which has 256 random bits. */
  @Column({ type: 'bytea' }) hash: Buffer;
  @Column({ type: 'text' }) user_id: string;
  /** The one organization that it reaches; null: all organizations of the user. */
  @Column({ type: 'text', nullable: true }) organization_id: string | null;
  @Column({ type: 'text' }) method: SignInMethod;
  @Column({ type: 'text', nullable: true }) user_agent: string | null;
  @Column({ type: 'text' }) address: string;
  /** When it ends, whatever its use. */
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) last_used_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) revoked_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
