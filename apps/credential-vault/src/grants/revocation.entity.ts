import { WorkRow } from '#libs/work';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/**
 * `late`: a refresh or exchange ended after its tokens were given up; `stranded`: the same, and its process died.
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

/**
 * Tokens that are no longer needed and still have to be revoked at their provider. Outlives the credential. When one is
 * `dead`, a person has to revoke the tokens there.
 */
@Entity({ schema: 'vault', name: 'revocation' })
@Index('revocation_due_idx', ['due_at'], { where: `state IN ('queued', 'running')` })
@Index('revocation_kid_idx', ['kid'])
@Index('revocation_project_idx', ['organization_id', 'project_id', 'id'])
export class Revocation extends WorkRow<'queued' | 'running' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'revocation_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text', default: '' }) project_id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'jsonb' }) provider: ProviderConfig;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** Sealed JSON: tokens, client id and secret. */
  @Column({ type: 'bytea' }) sealed: Buffer;
  /** Why they are no longer needed. */
  @Column({ type: 'text', default: 'deleted' }) cause: LeaveReason;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
