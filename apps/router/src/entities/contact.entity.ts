import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type ContactStatus = 'unknown' | 'known' | 'blocked';

/** A person or system that writes to Apps of a project. */
@Entity({ schema: 'router', name: 'contact' })
@Index('contact_by_project', ['project_id', 'id'])
export class ContactRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contact_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) status: ContactStatus;
  /** Messages per day (UTC); null: unlimited for this contact. */
  @Column({ type: 'integer', nullable: true }) daily_budget: number | null;
  /** The contact that this one was merged into. It keeps its own messages and identities, for an undo of the merge. */
  @Column({ type: 'text', nullable: true }) merged_into: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
