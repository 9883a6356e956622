import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ContactStatus } from '../../path/senders/senders.js';

/**
 * A sender of an App, and its contact. It repeats what routing needs to know about the contact, so that one statement
 * both locks the sender and reads its latest state: a message and an admission can never miss each other.
 */
@Entity({ schema: 'router', name: 'contact_identity' })
@Index('contact_identity_by_contact', ['contact_id'])
@Index('contact_identity_by_home', ['home_id'])
// By an expression, which no decorator says.
@Index('contact_identity_by_address', { synchronize: false })
export class IdentityRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contact_identity_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contact_identity_pkey' }) sender: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** The contact that it was first resolved to, and returns to when a merge is undone. */
  @Column({ type: 'text' }) home_id: string;
  /** The contact that it belongs to now. */
  @Column({ type: 'text' }) contact_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) status: ContactStatus;
  @Column({ type: 'integer', nullable: true }) daily_budget: number | null;
  /** Times in ms of the last messages, and of the last replies to them, for the loop breaker. */
  @Column({ type: 'bigint', array: true }) inbound_at: string[];
  @Column({ type: 'bigint', array: true }) replied_at: string[];
  @Column({ type: 'text', nullable: true }) last_text: string | null;
  @Column({ type: 'integer' }) same_texts: number;
  /** The last text without its numbers. */
  @Column({ type: 'text', nullable: true }) last_form: string | null;
  @Column({ type: 'integer', default: 0 }) same_forms: number;
  @Column({ type: 'timestamptz', nullable: true }) paused_until: Date | null;
  @Column({ type: 'text', nullable: true }) pause_reason: string | null;
  /** Whether the sender was informed of the pause. */
  @Column({ type: 'boolean', default: false }) pause_noticed: boolean;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) seen_at: Date;
}

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
  /** Addresses and `group:<name>` as whom it reads documents that only some may read, besides its own addresses. */
  @Column({ type: 'text', array: true, default: '{}' }) reads_as: string[];
  /** The contact that this one was merged into. It keeps its own messages and identities, for an undo of the merge. */
  @Column({ type: 'text', nullable: true }) merged_into: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
