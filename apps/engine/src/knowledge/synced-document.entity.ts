import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What became of a version of a synced document here. */
export type SyncOutcome = 'kept' | 'removed' | 'not_text' | 'too_large' | 'unreadable';

/**
 * The version of a source's document that was taken last. It outlives what it speaks of: a version that comes late, after
 * its document was changed or removed, is known by it.
 */
@Entity({ schema: 'engine', name: 'synced_document' })
export class SyncedDocument {
  /** The gateway's id of it. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'synced_document_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'integer' }) revision: number;
  @Column({ type: 'text' }) outcome: SyncOutcome;
  /** Its document of the knowledge, the same for all versions. */
  @Column({ type: 'text' }) document_id: string;
  @Column({ type: 'timestamptz' }) taken_at: Date;
}
