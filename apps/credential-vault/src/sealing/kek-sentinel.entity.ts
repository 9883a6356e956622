import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A known value sealed by each KEK. At boot, it shows whether a key with this name is still the same key. */
@Entity({ schema: 'vault', name: 'kek_sentinel' })
export class KekSentinel {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'kek_sentinel_pkey' }) kid: string;
  @Column({ type: 'bytea' }) sealed: Buffer;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
