import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';

/**
 * A client that its provider refused, as this credential had it. Grants whose client id and secret are equal send no
 * request until it is over. The row has no effect once the credential's fields were written.
 */
@Entity({ schema: 'vault', name: 'client_pause' })
@Index('client_pause_credential_idx', ['credential_id'])
export class ClientPause {
  /** As in the grant: client id and token host. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'client_pause_pkey' }) client_key: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'client_pause_pkey' }) credential_id: string;
  /** The credential's generation whose client was refused. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'timestamptz' }) until: Date;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'client_pause_credential_fkey' })
  credential: Relation<Credential>;
}
