import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** An entity that documents mention; one row per name and project. What is said of it belongs to the document. */
@Entity({ schema: 'engine', name: 'entity' })
@Unique('entity_name', ['project_id', 'name_key'])
export class KnowledgeEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'entity_pkey' }) id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  /** Lower case, with white space collapsed. */
  @Column({ type: 'text' }) name_key: string;
}

/** A document mentions an entity. */
@Entity({ schema: 'engine', name: 'mention' })
@Index('mention_entity', ['entity_id'])
export class Mention {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mention_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mention_pkey' }) entity_id: string;
  @Column({ type: 'text', nullable: true }) kind: string | null;
  @Column({ type: 'text', nullable: true }) description: string | null;
}

/** A document states a relation between two entities. */
@Entity({ schema: 'engine', name: 'relation' })
@Index('relation_from', ['from_id'])
@Index('relation_to', ['to_id'])
export class Relation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) from_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) relation: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) to_id: string;
}
