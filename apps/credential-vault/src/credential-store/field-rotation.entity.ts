import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from './credential.entity.js';

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
