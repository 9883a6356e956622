import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A link that signs its user in once. */
@Entity({ schema: 'portal', name: 'sign_in_link' })
@Index('sign_in_link_hash_key', ['hash'], { unique: true })
@Index('sign_in_link_user_idx', ['user_id'])
export class SignInLink {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sign_in_link_pkey' }) id: string;
  /** SHA-256 of the token, which has 256 random bits. */
  @Column({ type: 'bytea' }) hash: Buffer;
  @Column({ type: 'text' }) user_id: string;
  /**
   * The one organization that it signs in to, whose members handed it out. Null: the operator's link, for all of the
   * user's organizations.
   */
  @Column({ type: 'text', nullable: true }) organization_id: string | null;
  /** `user:<id>`, `key:<id>`, or `service:portal` for the operator. */
  @Column({ type: 'text' }) made_by: string;
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) used_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
