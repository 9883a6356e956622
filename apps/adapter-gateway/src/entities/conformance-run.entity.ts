import type { ConformanceReport } from '#libs/adapter-sdk';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const conformanceStates = ['running', 'finished', 'failed'] as const;
export type ConformanceState = (typeof conformanceStates)[number];

/** One run of the conformance kit against an adapter. */
@Entity({ schema: 'gateway', name: 'conformance_run' })
@Index('conformance_run_by_adapter', ['adapter_id', 'id'])
@Index('conformance_run_open', ['adapter_id'], { unique: true, where: `"state" = 'running'` })
export class ConformanceRunRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'conformance_run_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) adapter_id: string;
  /** `failed`: the kit could not be run to its end; what the adapter does wrong is in the report. */
  @Column({ type: 'text' }) state: ConformanceState;
  @Column({ type: 'integer' }) points_done: number;
  @Column({ type: 'integer' }) points_total: number;
  /** While it runs: the points that are done. */
  @Column({ type: 'jsonb', nullable: true }) report: Pick<ConformanceReport, 'points'> | ConformanceReport | null;
  /** Why it failed. */
  @Column({ type: 'text', nullable: true }) error: string | null;
  @Column({ type: 'text' }) started_by: string;
  /** When it last made progress; a run whose process died is given up by this. */
  @Column({ type: 'timestamptz' }) heard_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
