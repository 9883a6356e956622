import type { ContentTrust } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the older turns of a session said, in short: later turns are shown it instead of them. */
@Entity({ schema: 'engine', name: 'session_summary' })
export class SessionSummary {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'session_summary_pkey' }) session_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** The last turn in it. */
  @Column({ type: 'text' }) through_turn_id: string;
  /** How many turns are in it. */
  @Column({ type: 'integer' }) turns: number;
  @Column({ type: 'text' }) text: string;
  /** The least trust of what it was made from, also after a person has corrected it. */
  @Column({ type: 'text' }) content_trust: ContentTrust;
  /** The model that wrote it. */
  @Column({ type: 'text' }) model: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) made_at: Date;
  /** Who corrected it last; null: nobody. */
  @Column({ type: 'text', nullable: true }) corrected_by: string | null;
  @Column({ type: 'timestamptz', nullable: true }) corrected_at: Date | null;
  /** Grows with each change, so that a turn does not overwrite a correction that it has not read. */
  @Column({ type: 'integer', default: 1 }) revision: number;
}

/** As a turn is shown it. */
export type ShownSummary = Pick<SessionSummary, 'text' | 'turns' | 'content_trust' | 'revision'>;

/** SQL for the summary of a turn's session, as JSON. @param turn the turn's alias in the statement */
export const summaryOf = (turn: string): string =>
  `(SELECT to_jsonb(known) FROM engine.session_summary known WHERE known.session_id = ${turn}.session_id)`;

/** How much a model takes, as it was learned when it refused a conversation. */
@Entity({ schema: 'engine', name: 'model_window' })
export class ModelWindow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_window_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_window_pkey' }) model: string;
  /** Characters of a request. */
  @Column({ type: 'integer' }) chars: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) learned_at: Date;
}

/**
 * Something that an agent remembers of a contact, in conversations to come. Only its agent is shown it, in the turns of
 * that contact.
 */
@Entity({ schema: 'engine', name: 'contact_memory' })
@Index('contact_memory_key', ['project_id', 'contact_id', 'agent_id', 'key'], { unique: true })
@Index('contact_memory_list', ['project_id', 'contact_id', 'id'])
@Index('contact_memory_expired', ['expires_at'], { where: 'expires_at IS NOT NULL' })
export class ContactMemory {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'contact_memory_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) contact_id: string;
  @Column({ type: 'text' }) text: string;
  /** SHA-256 of the text as the agent remembered it: what was corrected is not learnt again as it was. */
  @Column({ type: 'text' }) key: string;
  /** The least trust of what the agent was shown when it remembered this. */
  @Column({ type: 'text' }) content_trust: ContentTrust;
  /** Where it comes from: the turn, and its event. */
  @Column({ type: 'text' }) turn_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  /** From then on nobody is shown it, and it is deleted; null: never. */
  @Column({ type: 'timestamptz', nullable: true }) expires_at: Date | null;
  /** Who corrected it last; null: nobody. */
  @Column({ type: 'text', nullable: true }) corrected_by: string | null;
  @Column({ type: 'timestamptz', nullable: true }) corrected_at: Date | null;
}

/** As a turn is shown it. */
export type ShownMemory = Pick<ContactMemory, 'id' | 'text' | 'content_trust'>;
