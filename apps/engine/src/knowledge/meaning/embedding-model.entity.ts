import type { Failure } from '#libs/service-kit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The model that a project chose for finding documents by meaning. */
@Entity({ schema: 'engine', name: 'embedding_model' })
@Index('embedding_model_due', ['due_at'])
export class EmbeddingModelRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'embedding_model_pkey' }) project_id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** A provider of the project; null: the installation's endpoint. */
  @Column({ type: 'text', nullable: true }) provider_id: string | null;
  /** Null: it is turned off, and the row goes once the vectors are removed. */
  @Column({ type: 'text', nullable: true }) model: string | null;
  /** Another one for each choice of a model, so that vectors of two models are never compared. */
  @Column({ type: 'text' }) space: string;
  @Column({ type: 'integer', nullable: true }) dimensions: number | null;
  /** Why documents get no vectors at the moment. */
  @Column({ type: 'jsonb', nullable: true }) failure: Failure | null;
  /** When its documents are looked at next; while a process embeds some, when another one would. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) due_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}
