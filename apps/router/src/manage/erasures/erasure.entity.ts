import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Rows that were erased, by service and by kind. */
export type ErasureReport = Record<string, Record<string, number>>;

/**
 * The erasure of a contact's data, in all services. Done twice: what was in flight when it was asked for is there by the
 * second pass. `dead`: it could not be done, for its `detail`; asked for again, it goes on.
 */
@Entity({ schema: 'router', name: 'contact_erasure' })
@Index('contact_erasure_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
export class ContactErasure extends WorkRow<'queued' | 'running' | 'done' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contact_erasure_pkey' }) contact_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) asked_by: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) asked_at: Date;
  @Column({ type: 'integer', default: 1 }) pass: number;
  @Column({ type: 'jsonb', default: {} }) report: ErasureReport;
  /** The words to `reason`. */
  @Column({ type: 'text', nullable: true }) detail: string | null;
}
