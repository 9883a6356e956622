import type { DocumentAccess } from '#libs/contracts';
import type { Failure } from '#libs/service-kit';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** Where a document's bytes came from. */
export interface Provenance {
  app_id: string;
  adapter: string;
  resource_path: string;
  run_id: string;
  fetched_at: string;
}

/** A document as it was last fetched; a removed one stays as a tombstone, without its bytes. */
@Entity({ schema: 'gateway', name: 'source_document' })
@Unique('source_document_path', ['source_id', 'path'])
@Index('source_document_failing', ['source_id'], { where: 'knowledge_failure IS NOT NULL' })
@Index('source_document_pending', ['offer_at'], { where: 'offer_at IS NOT NULL' })
export class SourceDocumentRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_document_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) source_id: string;
  @Column({ type: 'text' }) path: string;
  @Column({ type: 'text' }) state: 'current' | 'removed';
  /** The provider's version marker (spec 2.7). */
  @Column({ type: 'text', nullable: true }) fingerprint: string | null;
  @Column({ type: 'text' }) content_type: string;
  /** Bytes. */
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'text' }) sha256: string;
  /** Who may open it there; null: the provider does not say. */
  @Column({ type: 'jsonb', nullable: true }) access: DocumentAccess | null;
  @Column({ type: 'bytea', nullable: true, select: false }) content?: Buffer | null;
  @Column({ type: 'jsonb' }) provenance: Provenance;
  /** `<run>:<listing>` that named it last. */
  @Column({ type: 'text', nullable: true, select: false }) seen_in?: string | null;
  /** Counts the changes of its content and of its trust. */
  @Column({ type: 'integer', default: 1 }) revision: number;
  /** Outcome of the last version that the engine has taken; `waiting` before the first. */
  @Column({ type: 'text', default: 'waiting' }) knowledge: string;
  /** Why the engine has not taken its last version. */
  @Column({ type: 'jsonb', nullable: true }) knowledge_failure: Failure | null;
  /** When the engine is offered the version; null when it has taken it. */
  @Column({ type: 'timestamptz', nullable: true, default: () => 'now()', select: false }) offer_at?: Date | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) removed_at: Date | null;
}
