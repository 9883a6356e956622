import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How an adapter was in one minute, of all polls in it. */
@Entity({ schema: 'gateway', name: 'adapter_health' })
@Index('adapter_health_by_time', ['minute'])
export class AdapterHealthRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'adapter_health_pkey' }) adapter_id: string;
  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'adapter_health_pkey' }) minute: Date;
  @Column({ type: 'integer' }) polls: number;
  /** Those that found it ready. */
  @Column({ type: 'integer' }) ready: number;
  /** Of those that were answered. */
  @Column({ type: 'double precision' }) latency_sum_ms: number;
  @Column({ type: 'double precision' }) latency_max_ms: number;
  /** Why it was not ready, of the last poll that found it so. */
  @Column({ type: 'text', nullable: true }) reason: string | null;
}
