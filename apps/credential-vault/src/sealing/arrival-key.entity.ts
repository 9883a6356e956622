import type { JWK } from 'jose';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Key pairs of this installation for moves: for one other vaults seal what moves here, one signs what is handed on. */
@Entity({ schema: 'vault', name: 'arrival_key' })
export class ArrivalKey {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'arrival_key_pkey' }) id: string;
  /** Of nobody: part of what the private key is sealed to. */
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'jsonb' }) public_key: JWK;
  @Column({ type: 'text' }) kid: string;
  @Column({ type: 'bytea' }) wrapped_dek: Buffer;
  /** A sealed JWK. */
  @Column({ type: 'bytea' }) private_key: Buffer;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
