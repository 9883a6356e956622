import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProviderConfig } from '../oauth/provider-config.js';

/** Tokens that nobody needs any more, and that their provider still has to be told of. Outlives the credential. */
@Entity({ schema: 'vault', name: 'revocation' })
@Index('revocation_next_idx', ['next_try_at'])
@Index('revocation_kid_idx', ['kid'])
export class Revocation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'revocation_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'jsonb' }) provider: ProviderConfig;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** Sealed JSON: tokens, client id and secret. */
  @Column({ type: 'bytea' }) sealed: Buffer;
  /** False: the row does nothing until the credential is deleted. */
  @Column({ type: 'boolean', default: false }) credential_stays: boolean;
  @Column({ type: 'integer' }) attempts: number;
  @Column({ type: 'timestamptz' }) next_try_at: Date;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
