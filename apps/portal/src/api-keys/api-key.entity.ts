import type { Scope } from '#libs/service-kit';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'portal', name: 'api_key' })
@Index('api_key_hash_key', ['hash'], { unique: true })
@Index('api_key_made_by_idx', ['made_by_key_id'])
@Index('api_key_project_idx', ['organization_id', 'project_id', 'id'])
export class ApiKey {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'api_key_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** Where the key works unless a request names another project that it reaches. */
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  /** SHA-256 of the key, which has 256 random bits: no salt or slow hash adds anything. */
  @Column({ type: 'bytea' }) hash: Buffer;
  @Column({ type: 'text' }) last4: string;
  @Column({ type: 'text', array: true }) scopes: Scope[];
  /** Null for a key that no key has made. It is revoked with its maker. */
  @Column({ type: 'text', nullable: true }) made_by_key_id: string | null;
  /** The member who made it, or the key that made it; it does no more than they may. Null: no member did. */
  @Column({ type: 'text', nullable: true }) made_by_user_id: string | null;
  @Column({ type: 'timestamptz', nullable: true }) expires_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) revoked_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) last_used_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
