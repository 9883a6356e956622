import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A listed change that is not carried out yet. It outlives its run: the cursor is past it, nobody lists it again. */
@Entity({ schema: 'gateway', name: 'source_change' })
export class SourceChangeRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_change_pkey' }) source_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'source_change_pkey' }) path: string;
  @Column({ type: 'text', nullable: true }) fingerprint: string | null;
  @Column({ type: 'text' }) status: 'added' | 'modified' | 'removed';
  /** Tries in the run that is going on. */
  @Column({ type: 'integer' }) attempts: number;
  /** The run that has given it up; the next one tries again. */
  @Column({ type: 'text', nullable: true }) given_up_by: string | null;
  /** `<run>:<listing>` that named it. */
  @Column({ type: 'text' }) listed_in: string;
}
