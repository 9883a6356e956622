import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A known value sealed by each KEK: tells at boot that a key of that name is the key it was. */
@Entity({ schema: 'vault', name: 'kek_sentinel' })
export class KekSentinel {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'kek_sentinel_pkey' }) kid: string;
  @Column({ type: 'bytea' }) sealed: Buffer;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
