import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file that a turn sends with its answer. It is kept as long as the turn. */
@Entity({ schema: 'engine', name: 'turn_file' })
export class TurnFile {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_file_pkey' }) turn_id: string;
  /** The same file under the same name is attached once. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_file_pkey' }) sha256: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_file_pkey' }) name: string;
  /** Its place in the answer, from 1. */
  @Column({ type: 'integer' }) seq: number;
  @Column({ type: 'text' }) content_type: string;
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'bytea' }) content: Buffer;
}
