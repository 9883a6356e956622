import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A part of a document that is found and shown as a unit. TypeORM cannot declare its index on an expression. */
@Entity({ schema: 'engine', name: 'chunk' })
@Index('chunk_search', { synchronize: false })
export class Chunk {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'chunk_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'chunk_pkey' }) seq: number;
  @Column({ type: 'text' }) project_id: string;
  /** Offset in the document, in characters. */
  @Column({ type: 'integer' }) start: number;
  @Column({ type: 'text' }) text: string;
}
