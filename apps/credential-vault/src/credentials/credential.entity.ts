import { Column, CreateDateColumn, Entity, Index, OneToMany, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { CredentialField } from './credential-field.entity.js';

export type CredentialType = 'api_key' | 'text';
export type CredentialStatus = 'active' | 'undecryptable';

@Entity({ schema: 'vault', name: 'credential' })
@Index('credential_project_name_key', ['organization_id', 'project_id', 'name'], { unique: true })
@Index('credential_kid_idx', ['kid'])
export class Credential {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) type: CredentialType;
  /** The KEK that wraps the data key. */
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** Grows with every write of a field, and is part of what each field is sealed to. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'text' }) status: CredentialStatus;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) updated_at: Date;
  @OneToMany(() => CredentialField, (field) => field.credential) fields: CredentialField[];
}
