import { openSuspect, WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type SyncState = 'queued' | 'running' | 'succeeded' | 'partial' | 'failed';
export type SyncCause = 'schedule' | 'request' | 'webhook';

export interface DocumentFailure {
  path: string;
  error: string;
}

const open = `"state" IN ('queued', 'running')`;

/** One synchronisation of a source: first the listing page by page, then the documents one by one. */
@Entity({ schema: 'gateway', name: 'sync_run' })
@Index('sync_run_open', ['source_id'], { unique: true, where: open })
@Index('sync_run_by_source', ['source_id', 'id'])
@Index('sync_run_suspect', ['due_at'], { where: openSuspect })
@Index('sync_run_due', ['due_at'], { where: open })
export class SyncRunRow extends WorkRow<SyncState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sync_run_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) source_id: string;
  @Column({ type: 'text' }) cause: SyncCause;
  @Column({ type: 'text' }) phase: 'listing' | 'fetching';
  @Column({ type: 'text', nullable: true }) cursor: string | null;
  /** Counts the listings that were begun: an expired cursor begins another. */
  @Column({ type: 'integer' }) listing: number;
  /** Whether the listing says that it is complete; null before its first page. */
  @Column({ type: 'boolean', nullable: true }) full_listing: boolean | null;
  /** The run that began the listing, where this one goes on with it. */
  @Column({ type: 'text', nullable: true }) continues: string | null;
  /** Changes that the run's pages named and no page of the listing before them. */
  @Column({ type: 'integer', default: 0 }) listed: number;
  @Column({ type: 'integer' }) pages: number;
  @Column({ type: 'integer' }) added: number;
  @Column({ type: 'integer' }) changed: number;
  @Column({ type: 'integer' }) removed: number;
  @Column({ type: 'integer' }) failed: number;
  @Column({ type: 'jsonb' }) failures: DocumentFailure[];
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
