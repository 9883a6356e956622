import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Health of an adapter in one minute, over all its polls. */
@Entity({ schema: 'gateway', name: 'adapter_health' })
@Index('adapter_health_by_time', ['minute'])
export class AdapterHealthRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'adapter_health_pkey' }) adapter_id: string;
  @PrimaryColumn({ type: 'timestamptz', primaryKeyConstraintName: 'adapter_health_pkey' }) minute: Date;
  @Column({ type: 'integer' }) polls: number;
  /** Polls that found it ready. */
  @Column({ type: 'integer' }) ready: number;
  /** Of the polls that were answered. */
  @Column({ type: 'double precision' }) latency_sum_ms: number;
  @Column({ type: 'double precision' }) latency_max_ms: number;
  /** Why it was not ready, at the last poll that found it so. */
  @Column({ type: 'text', nullable: true }) reason: string | null;
}
