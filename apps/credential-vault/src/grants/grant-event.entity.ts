import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';

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
