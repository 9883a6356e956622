import type { Failure } from '#libs/service-kit';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
  UpdateDateColumn,
} from 'typeorm';
import type { DeclaredField } from './declared-field.js';

export const credentialTypes = ['api_key', 'text', 'oauth2'] as const;
export type CredentialType = (typeof credentialTypes)[number];

export const oauthGrants = ['authorization_code', 'client_credentials'] as const;
export type OAuthGrant = (typeof oauthGrants)[number];

/** `invalid`: the provider refused it at verification. From `pending` on: states of an oauth2 credential. */
export const credentialStatuses = [
  'active',
  'invalid',
  'undecryptable',
  'pending',
  'refreshing',
  'degraded',
  'needs_reconnect',
  'revoked',
] as const;
export type CredentialStatus = (typeof credentialStatuses)[number];

/** The account that the credential belongs to, according to the provider. */
export interface ProviderAccount {
  id: string;
  name: string | null;
}

@Entity({ schema: 'vault', name: 'credential' })
@Index('credential_project_name_key', ['organization_id', 'project_id', 'name'], { unique: true })
@Index('credential_kid_idx', ['kid'])
@Index('credential_dek_made_at_idx', ['dek_made_at'])
export class Credential {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) type: CredentialType;
  /** For the type oauth2 only. */
  @Column({ type: 'text', nullable: true }) grant: OAuthGrant | null;
  /** For the type text only: the fields that it must or may have. Null: any fields. */
  @Column({ type: 'jsonb', nullable: true }) declared_fields: DeclaredField[] | null;
  /** The adapter that is asked whether the provider accepts the credential. */
  @Column({ type: 'text', nullable: true }) adapter_slug: string | null;
  /** The KEK that wraps the data key. */
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dek_made_at: Date;
  /** Increases with every write of a field. Each field is sealed to it. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'text' }) status: CredentialStatus;
  /** The reason for the status, for people; never a secret. */
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'jsonb', nullable: true }) account: ProviderAccount | null;
  @Column({ type: 'text', nullable: true }) account_fingerprint: string | null;
  /** `mcp_server:<id>`: a service created it for this server and may change it; null: a person created it. */
  @Column({ type: 'text', nullable: true }) managed_for: string | null;
  /** Why a state change could not be reported to the project's receiver. */
  @Column({ type: 'jsonb', nullable: true }) notification_failure: Failure | null;
  @Column({ type: 'timestamptz', nullable: true }) last_verified_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) updated_at: Date;
  @OneToMany(() => CredentialField, (field) => field.credential) fields: CredentialField[];
  @OneToMany(() => FieldRotation, (rotation) => rotation.credential) rotations: FieldRotation[];
}

/** When the value that a rotation replaced ends. It is valid beside the new one until then. */
@Entity({ schema: 'vault', name: 'field_rotation' })
@Index('field_rotation_ends_idx', ['ends_at'])
export class FieldRotation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'field_rotation_pkey' }) credential_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'field_rotation_pkey' }) field: string;
  @Column({ type: 'timestamptz' }) ends_at: Date;

  @ManyToOne(() => Credential, (credential) => credential.rotations, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'field_rotation_credential_fkey' })
  credential: Relation<Credential>;
}

@Entity({ schema: 'vault', name: 'credential_field' })
export class CredentialField {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_field_pkey' }) credential_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_field_pkey' }) field: string;
  @Column({ type: 'bytea' }) sealed: Buffer;
  @Column({ type: 'integer' }) generation: number;

  @ManyToOne(() => Credential, (credential) => credential.fields, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'credential_field_credential_fkey' })
  credential: Relation<Credential>;
}
