import type { DocumentAudience } from '#libs/contracts';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * `owner`: uploaded over the API, or from a source that the project declares its own. `known`: written by a turn of an
 * admitted contact. `untrusted`: learnt from untrusted senders.
 */
export type DocumentTrust = 'owner' | 'known' | 'untrusted';

/** A text of the project's knowledge and its origin. */
@Entity({ schema: 'engine', name: 'document' })
@Unique('document_same', ['project_id', 'source', 'content_sha256'])
@Index('document_project', ['project_id', 'id'])
@Index('document_embedded', ['project_id', 'embedded_in'])
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
  /** Addresses of people and `group:<name>`, for the audience `listed`. */
  @Column({ type: 'text', array: true, default: '{}' }) readers: string[];
  /**
   * `{by}` for an upload; `{turn_id, receipt_id, agent_id, sender}` for a turn; `{source_id, path, adapter, ...}` for a
   * sync.
   */
  @Column({ type: 'jsonb' }) provenance: Record<string, unknown>;
  /** The space in which all its chunks have their vectors; null: they have none yet. */
  @Column({ type: 'text', nullable: true, select: false }) embedded_in?: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

/** A part of a document that is found and shown as a unit. TypeORM cannot declare its GIN indexes. */
@Entity({ schema: 'engine', name: 'chunk' })
@Index('chunk_search', { synchronize: false })
@Index('chunk_terms', { synchronize: false })
@Index('chunk_without_terms', ['document_id', 'seq'], { where: 'terms IS NULL' })
@Index('chunk_language', ['project_id', 'language'])
export class Chunk {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'chunk_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'chunk_pkey' }) seq: number;
  @Column({ type: 'text' }) project_id: string;
  /** Offset in the document, in characters. */
  @Column({ type: 'integer' }) start: number;
  @Column({ type: 'text' }) text: string;
  /** The Markdown heading that it begins under. */
  @Column({ type: 'text', nullable: true }) heading: string | null;
  /** The text search configuration that its words are stemmed by; empty: none. */
  @Column({ type: 'text', nullable: true }) language: string | null;
  /** What it is found by; null until that is made. */
  @Column({ type: 'tsvector', nullable: true }) terms: string | null;
}

/** What a chunk means, as a model puts it. It counts once all chunks of its document have one in the same space. */
@Entity({ schema: 'engine', name: 'chunk_vector' })
@Index('chunk_vector_space', ['project_id', 'space', 'document_id', 'seq'])
@ForeignKey(() => Chunk, ['document_id', 'seq'], ['document_id', 'seq'], {
  name: 'chunk_vector_chunk_fkey',
  onDelete: 'CASCADE',
})
export class ChunkVector {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'chunk_vector_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'chunk_vector_pkey' }) seq: number;
  @Column({ type: 'text' }) project_id: string;
  /** Only vectors of one space are compared. */
  @Column({ type: 'text' }) space: string;
  /** Whether each number is positive: few bits tell which vectors may be near. Null: there is none. */
  @Column({ type: 'bit varying', nullable: true }) signs: string | null;
  /** 32-bit floats, little-endian, of length 1. Empty: the model refuses the text, however short. */
  @Column({ type: 'bytea' }) vector: Buffer;
}

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
