import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/** One token request. The row exists before it is sent, and holds the raw answer, sealed, before that is parsed. */
@Entity({ schema: 'vault', name: 'refresh_attempt' })
@Index('refresh_attempt_credential_idx', ['credential_id', 'base_version'])
@Index('refresh_attempt_sent_idx', ['sent_at'])
@Index('refresh_attempt_kid_idx', ['kid'])
export class RefreshAttempt {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'refresh_attempt_pkey' }) id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** The grant's version whose tokens the request replaces. */
  @Column({ type: 'integer' }) base_version: number;
  /** The provider that a code was sent to; null for a refresh, which uses the grant's provider. */
  @Column({ type: 'jsonb', nullable: true }) provider: ProviderConfig | null;
  @CreateDateColumn({ type: 'timestamptz' }) sent_at: Date;
  @Column({ type: 'text', nullable: true }) kid: string | null;
  @Column({ type: 'bytea', nullable: true }) wrapped_dek: Buffer | null;
  @Column({ type: 'bytea', nullable: true }) response_ct: Buffer | null;
  /** HTTP status of the answer. */
  @Column({ type: 'integer', nullable: true }) status: number | null;
  /** `ok` once promoted, else what went wrong. */
  @Column({ type: 'text', nullable: true }) error_class: string | null;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'refresh_attempt_credential_fkey' })
  credential: Relation<Credential>;
}
