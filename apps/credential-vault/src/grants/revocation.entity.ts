import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/**
 * `late`: a refresh or an exchange ended after its tokens were let go of; `stranded`: so it did, and its process died.
 * `replaced`: by the tokens of another account, client or provider.
 */
export const leaveReasons = [
  'deleted',
  'disconnected',
  'declined',
  'not_confirmed',
  'replaced',
  'late',
  'stranded',
] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/** Tokens that nobody needs any more, and that their provider still has to be told of. Outlives the credential. */
@Entity({ schema: 'vault', name: 'revocation' })
@Index('revocation_next_idx', ['next_try_at'])
@Index('revocation_kid_idx', ['kid'])
@Index('revocation_project_idx', ['organization_id', 'project_id', 'id'])
export class Revocation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'revocation_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text', default: '' }) project_id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'jsonb' }) provider: ProviderConfig;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** Sealed JSON: tokens, client id and secret. */
  @Column({ type: 'bytea' }) sealed: Buffer;
  /** How they came to be of no more use. */
  @Column({ type: 'text', default: 'deleted' }) reason: LeaveReason;
  @Column({ type: 'integer' }) attempts: number;
  @Column({ type: 'timestamptz' }) next_try_at: Date;
  /** What the last try met: a code, never the provider's text. */
  @Column({ type: 'text', nullable: true }) last_error: string | null;
  /** The provider was asked often enough, or said that it never will: a person has to revoke there. */
  @Column({ type: 'timestamptz', nullable: true }) gave_up_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
