import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The result of a synced document's version. */
export type SyncOutcome = 'kept' | 'removed' | 'not_text' | 'too_large' | 'unreadable';

/**
 * The last accepted version of a source's document. It outlives the document, so that a late version is recognised
 * after its document was changed or removed.
 */
@Entity({ schema: 'engine', name: 'synced_document' })
export class SyncedDocument {
  /** The gateway's id of the document. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'synced_document_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'integer' }) revision: number;
  @Column({ type: 'text' }) outcome: SyncOutcome;
  /** The document in the knowledge, the same for all versions. */
  @Column({ type: 'text' }) document_id: string;
  @Column({ type: 'timestamptz' }) taken_at: Date;
}
