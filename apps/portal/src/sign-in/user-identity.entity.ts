import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A user's identity at an OIDC issuer. Addresses may change hands, `sub` does not (OpenID Connect Core 5.7). */
@Entity({ schema: 'portal', name: 'user_identity' })
export class UserIdentity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'user_identity_pkey' }) issuer: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'user_identity_pkey' }) subject: string;
  @Column({ type: 'text' }) user_id: string;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
