import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** `owner`: put in over the API, or of a source that the project says is its own. `known`: written by a turn of an admitted contact. `untrusted`: learnt from untrusted senders. */
export type DocumentTrust = 'owner' | 'known' | 'untrusted';

/** Who may be answered from it: `everyone`, or turns of admitted contacts and of the project's own callers alone. */
export type DocumentAudience = 'everyone' | 'known';

/** A text of the project's knowledge, and where it came from. */
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
  /** `upload`, `turn` for what `store_knowledge` kept, `sync` for a document source's. */
  @Column({ type: 'text' }) source: 'upload' | 'turn' | 'sync';
  @Column({ type: 'text', nullable: true }) uri: string | null;
  @Column({ type: 'text' }) trust: DocumentTrust;
  @Column({ type: 'text' }) audience: DocumentAudience;
  /** `{by}` of an upload; `{turn_id, receipt_id, agent_id, sender}` of a turn; `{source_id, path, adapter, ...}` of a sync. */
  @Column({ type: 'jsonb' }) provenance: Record<string, unknown>;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
