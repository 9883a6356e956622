import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';
import type { ProviderConfig } from '../oauth-providers/provider-config.js';

export type GrantType = 'authorization_code' | 'client_credentials';

/** `refreshing` is not stored: it is an `active` or `degraded` grant with an attempt in flight. */
export type GrantState = 'pending' | 'active' | 'degraded' | 'needs_reconnect' | 'revoked' | 'undecryptable';

/** The tokens of one `oauth2` credential and the state of their refresh. Each promotion increases the `version`. */
@Entity({ schema: 'vault', name: 'oauth_grant' })
@Index('oauth_grant_due_idx', ['refresh_due_at'], { where: "state IN ('active', 'degraded')" })
@Index('oauth_grant_client_idx', ['client_key'])
@Index('oauth_grant_kid_idx', ['kid'])
export class OauthGrant {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'oauth_grant_pkey' }) credential_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) grant_type: GrantType;
  @Column({ type: 'text' }) provider_slug: string;
  /** Given with the credential; null when the adapter's manifest has it. */
  @Column({ type: 'jsonb', nullable: true }) inline_config: Record<string, unknown> | null;
  /** The endpoints in use: those with which a person connected. A changed manifest does not affect them. */
  @Column({ type: 'jsonb', nullable: true }) provider: ProviderConfig | null;
  /** Digest of token host and client id. Grants of one client are paused together. */
  @Column({ type: 'text', nullable: true }) client_key: string | null;
  @Column({ type: 'text' }) state: GrantState;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'text', nullable: true }) kid: string | null;
  @Column({ type: 'bytea', nullable: true }) wrapped_dek: Buffer | null;
  @Column({ type: 'bytea', nullable: true }) access_token: Buffer | null;
  @Column({ type: 'bytea', nullable: true }) refresh_token: Buffer | null;
  /** What token answers brought besides tokens, such as `instance_url`: sealed values, in base64, by name. */
  @Column({ type: 'jsonb', nullable: true }) answer_fields: Record<string, string> | null;
  @Column({ type: 'timestamptz', nullable: true }) obtained_at: Date | null;
  /** Null for a token that does not expire. */
  @Column({ type: 'timestamptz', nullable: true }) at_expires_at: Date | null;
  @Column({ type: 'timestamptz' }) refresh_due_at: Date;
  @Column({ type: 'text', nullable: true }) attempt_id: string | null;
  @Column({ type: 'timestamptz', nullable: true }) attempt_heartbeat: Date | null;
  /** The credential's generation with whose client id and secret these tokens were obtained. */
  @Column({ type: 'integer' }) client_config_version: number;
  @Column({ type: 'integer' }) consecutive_failures: number;
  /** Refresh requests since the last promotion whose outcome at the provider is unknown. */
  @Column({ type: 'integer' }) unanswered: number;
  /** The last version whose access token its provider refused before it expired, and when that was first reported. */
  @Column({ type: 'integer', nullable: true }) refused_version: number | null;
  @Column({ type: 'timestamptz', nullable: true }) refused_at: Date | null;
  @Column({ type: 'timestamptz' }) next_try_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) swept_at: Date | null;
  /** Digest that identifies the provider's account; null when the provider does not say. */
  @Column({ type: 'text', nullable: true }) account: string | null;
  @Column({ type: 'text', array: true }) scopes: string[];
  @Column({ type: 'text', array: true }) missing_scopes: string[];
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'oauth_grant_credential_fkey' })
  credential: Relation<Credential>;
}

/** A transition of a grant's state, written in the transaction that makes it. */
@Entity({ schema: 'vault', name: 'grant_event' })
@Index('grant_event_credential_idx', ['credential_id', 'id'])
export class GrantEvent {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'grant_event_pkey' }) id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'text' }) from_state: string;
  @Column({ type: 'text' }) to_state: string;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) at: Date;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'grant_event_credential_fkey' })
  credential: Relation<Credential>;
}
