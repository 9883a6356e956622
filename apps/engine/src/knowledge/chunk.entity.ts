import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A part of a document that is found and shown as one. Its search index is over an expression, which TypeORM cannot write. */
@Entity({ schema: 'engine', name: 'chunk' })
@Index('chunk_search', { synchronize: false })
export class Chunk {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'chunk_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'chunk_pkey' }) seq: number;
  @Column({ type: 'text' }) project_id: string;
  /** Where in the document it starts, in characters. */
  @Column({ type: 'integer' }) start: number;
  @Column({ type: 'text' }) text: string;
}
