import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A listed change that is not applied yet. It outlives its run: the cursor is past it, so it is not listed again. */
@Entity({ schema: 'gateway', name: 'source_change' })
export class SourceChangeRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_change_pkey' }) source_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_change_pkey' }) path: string;
  @Column({ type: 'text', nullable: true }) fingerprint: string | null;
  @Column({ type: 'text' }) status: 'added' | 'modified' | 'removed';
  /** Attempts in the current run. */
  @Column({ type: 'integer' }) attempts: number;
  /** The run that gave it up; the next run tries again. */
  @Column({ type: 'text', nullable: true }) given_up_by: string | null;
  /** `<run>:<listing>` that named it. */
  @Column({ type: 'text' }) listed_in: string;
}
