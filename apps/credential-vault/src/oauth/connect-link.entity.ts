import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from '../credential-store/credential.entity.js';

/** Lets someone without an account here connect one credential, once. */
@Entity({ schema: 'vault', name: 'connect_link' })
@Index('connect_link_token_key', ['token_hash'], { unique: true })
export class ConnectLink {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'connect_link_pkey' }) id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'bytea' }) token_hash: Buffer;
  @Column({ type: 'text' }) created_by: string;
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) used_at: Date | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'connect_link_credential_fkey' })
  credential: Relation<Credential>;
}
