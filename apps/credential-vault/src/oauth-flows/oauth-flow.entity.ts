import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/** One open authorization: from the authorization URL to the code, or to a person's confirmation if needed. */
@Entity({ schema: 'vault', name: 'oauth_flow' })
@Index('oauth_flow_state_key', ['state_hash'], { unique: true })
@Index('oauth_flow_expires_idx', ['expires_at'])
@Index('oauth_flow_kid_idx', ['kid'])
export class OauthFlow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'oauth_flow_pkey' }) id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Who started it: `key:<id>`, `user:<id>` or `link:<id>`. */
  @Column({ type: 'text' }) subject: string;
  @Column({ type: 'bytea' }) state_hash: Buffer;
  @Column({ type: 'bytea' }) browser_hash: Buffer;
  @Column({ type: 'jsonb' }) provider: ProviderConfig;
  @Column({ type: 'text' }) redirect_uri: string;
  @Column({ type: 'text' }) return_to: string;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** The PKCE verifier, sealed. */
  @Column({ type: 'bytea' }) verifier: Buffer;
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) consumed_at: Date | null;
  /** The attempt whose tokens wait until a person confirms the other account. */
  @Column({ type: 'text', nullable: true }) unconfirmed_attempt: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  /** Read with its flow only for `managed_for`. */
  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'oauth_flow_credential_fkey' })
  credential: Relation<Credential>;
}
