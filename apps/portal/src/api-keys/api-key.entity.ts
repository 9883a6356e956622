import type { Scope } from '#libs/service-kit';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'portal', name: 'api_key' })
@Index('api_key_hash_key', ['hash'], { unique: true })
@Index('api_key_made_by_idx', ['made_by_key_id'])
@Index('api_key_project_idx', ['organization_id', 'project_id', 'id'])
export class ApiKey {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'api_key_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** The key's own project. A request may name another one that the key reaches. */
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  /** SHA-256 of the key. The key has 256 random bits, so a salt or a slow hash adds nothing. */
  @Column({ type: 'bytea' }) hash: Buffer;
  @Column({ type: 'text' }) last4: string;
  @Column({ type: 'text', array: true }) scopes: Scope[];
  /** The key that made this one, if any. Revoking that key revokes this one too. */
  @Column({ type: 'text', nullable: true }) made_by_key_id: string | null;
  /**
   * The member who made it, or who made the key that made it. The key may do no more than that member. Null: no member.
   */
  @Column({ type: 'text', nullable: true }) made_by_user_id: string | null;
  @Column({ type: 'timestamptz', nullable: true }) expires_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) revoked_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) last_used_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
