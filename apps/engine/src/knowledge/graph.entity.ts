import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** Something that documents speak of, one row a name and project. What is said of it belongs to the document that says it. */
@Entity({ schema: 'engine', name: 'entity' })
@Unique('entity_name', ['project_id', 'name_key'])
export class KnowledgeEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'entity_pkey' }) id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  /** Lower case, white space joined. */
  @Column({ type: 'text' }) name_key: string;
}

/** A document speaks of an entity. */
@Entity({ schema: 'engine', name: 'mention' })
@Index('mention_entity', ['entity_id'])
export class Mention {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mention_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mention_pkey' }) entity_id: string;
  @Column({ type: 'text', nullable: true }) kind: string | null;
  @Column({ type: 'text', nullable: true }) description: string | null;
}

/** A document says that one entity stands in a relation to another. */
@Entity({ schema: 'engine', name: 'relation' })
@Index('relation_from', ['from_id'])
@Index('relation_to', ['to_id'])
export class Relation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) document_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) from_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) relation: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'relation_pkey' }) to_id: string;
}
