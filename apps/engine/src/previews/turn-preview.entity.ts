import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What a turn is writing, for those who follow it. Not logged: after a crash of Postgres there is nothing to preview, and
 * what counts is in the turn. A claim overwrites what an earlier one has left.
 */
@Entity({ schema: 'engine', name: 'turn_preview' })
@Index('turn_preview_by_session', ['session_id'])
export class TurnPreviewRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_preview_pkey' }) turn_id: string;
  @Column({ type: 'text' }) session_id: string;
  @Column({ type: 'integer' }) claim: number;
  /** Counts the changes of a claim. */
  @Column({ type: 'integer' }) version: number;
  /** Number of the step that is being done. */
  @Column({ type: 'integer' }) step: number;
  /** Tools that are being called; empty while the model writes. */
  @Column({ type: 'text', array: true }) tools: string[];
  /** What the model has written in this step. */
  @Column({ type: 'text' }) text: string;
}
