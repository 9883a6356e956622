import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from './credential.entity.js';

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
