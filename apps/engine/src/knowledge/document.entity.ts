import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * `owner`: uploaded over the API, or from a source that the project declares its own. `known`: written by a turn of an
 * admitted contact. `untrusted`: learnt from untrusted senders.
 */
export type DocumentTrust = 'owner' | 'known' | 'untrusted';

/**
 * Who may be answered from it: `everyone`, or only turns of admitted contacts and of the project's own callers
 * (`known`).
 */
export type DocumentAudience = 'everyone' | 'known';

/** A text of the project's knowledge and its origin. */
@Entity({ schema: 'engine', name: 'document' })
@Unique('document_same', ['project_id', 'source', 'content_sha256'])
@Index('document_project', ['project_id', 'id'])
export class KnowledgeDocument {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'document_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) title: string;
  @Column({ type: 'text' }) content: string;
  @Column({ type: 'text' }) content_sha256: string;
  /** `upload`; `turn`: stored by `store_knowledge`; `sync`: from a document source. */
  @Column({ type: 'text' }) source: 'upload' | 'turn' | 'sync';
  @Column({ type: 'text', nullable: true }) uri: string | null;
  @Column({ type: 'text' }) trust: DocumentTrust;
  @Column({ type: 'text' }) audience: DocumentAudience;
  /**
   * `{by}` for an upload; `{turn_id, receipt_id, agent_id, sender}` for a turn; `{source_id, path, adapter, ...}` for a
   * sync.
   */
  @Column({ type: 'jsonb' }) provenance: Record<string, unknown>;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
