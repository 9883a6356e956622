import type {
  AutomaticKind,
  HeldTurn,
  NormalizedMessage,
  ReplyWithheld,
  RequestFacts,
  TextFrom,
  TurnInput,
  TurnOfRun,
  TurnOfSession,
} from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What one trigger decided about one message, and why. */
export interface Verdict {
  trigger_id: string;
  workflow_id: number;
  verdict: 'matched' | 'filtered' | 'rate_limited' | 'suspended' | 'filter_error' | 'off';
  reason: string | null;
}

/** A turn that a message starts, as the message's row stores it, without what the row already has. */
export interface Target {
  turn_id: string;
  run: TurnOfRun | null;
  session: TurnOfSession | null;
  agent_id: string | null;
  held?: HeldTurn;
  input: Omit<TurnInput, 'message'>;
}

/**
 * A target in the row of its message, where it takes a third of the space: without what it is by default.
 * `usual_words`: a sender is informed in the words that channels have until somebody writes others.
 */
export interface StoredTarget
  extends Pick<Target, 'turn_id' | 'held'>, Partial<Omit<Target, 'turn_id' | 'run' | 'input'>> {
  run?: (Pick<TurnOfRun, 'id' | 'workflow_id'> & Partial<TurnOfRun>) | null;
  input: Target['input'] & { usual_words?: true };
}

/** A message that no person wrote and that is not the platform's own: `is_bot` is false. */
export type MachineKind = AutomaticKind | 'bot';

/**
 * Whether the Chief of Staff got the message: `taken`; `off` where the channel says so; `trigger_took_it` where the
 * channel has it get only what no trigger takes; otherwise why it did not. Null when it was not considered: the message
 * was refused, or named its workflow.
 */
export type ChiefOfStaffVerdict = 'taken' | 'off' | 'trigger_took_it' | MachineKind | null;

/** Reads messages, without the turns that they start. */
export const messagesSql = `
  SELECT id, organization_id, project_id, app_id, receipt_id, verified, text_from, message, request, outcome, reason, verdicts,
         unlisted_verdicts, app_kind, app_sends, chief_of_staff, reply_withheld, contact_id, sanitizer_report, released_at,
         released_by, created_at
    FROM router.message`;

/** A message as it is shown. */
export abstract class MessageRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'message_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'boolean' }) verified: boolean;
  /** According to the App when it came: whether its system wrote the text, or people may have. */
  @Column({ type: 'text', default: 'people' }) text_from: TextFrom;
  @Column({ type: 'jsonb' }) message: NormalizedMessage;
  /** What filters may read of the request; null: it came by none, or before this was kept. */
  @Column({ type: 'jsonb', nullable: true }) request: RequestFacts | null;
  @Column({ type: 'text' }) outcome: string;
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'jsonb' }) verdicts: Verdict[];
  /** Triggers that filtered the message out beyond those in `verdicts`. */
  @Column({ type: 'integer' }) unlisted_verdicts: number;
  @Column({ type: 'text' }) app_kind: 'builtin' | 'adapter';
  /** Whether the App could deliver a reply when the message came. */
  @Column({ type: 'boolean', default: true }) app_sends: boolean;
  @Column({ type: 'text', nullable: true }) chief_of_staff: ChiefOfStaffVerdict;
  /** Why the first result is not answered; null: it is, or nobody took the message. */
  @Column({ type: 'text', nullable: true }) reply_withheld: ReplyWithheld | null;
  /** The contact as it was resolved, before any merge; null for the built-in Webhook app. */
  @Column({ type: 'text', nullable: true }) contact_id: string | null;
  /** What the sanitiser changed; null when it changed nothing. */
  @Column({ type: 'jsonb', nullable: true }) sanitizer_report: Record<string, unknown> | null;
  /** When a held, paused, dropped or parked message was released and routed. */
  @Column({ type: 'timestamptz', nullable: true }) released_at: Date | null;
  @Column({ type: 'text', nullable: true }) released_by: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
}

/** A claimed message: handled once, however often it is delivered. */
@Entity({ schema: 'router', name: 'message' })
@Index('message_by_receipt', ['receipt_id'])
@Index('message_held', ['project_id', 'id'], {
  where: `"outcome" NOT IN ('routed', 'no_match') AND "released_at" IS NULL`,
})
@Index('message_by_contact', ['contact_id', 'id'], { where: `"contact_id" IS NOT NULL` })
@Index('message_by_app', ['app_id', 'id'])
@Index('message_handed', ['routed_at'], { where: `turns <> '[]'` })
export class StoredMessage extends MessageRow {
  /** The turns that it started when first routed; those of replays and releases are not included. */
  @Column({ type: 'jsonb', default: [] }) turns: StoredTarget[];
  /** When it was committed: from then on, the engine is asked about its turns. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) routed_at: Date;
}

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
  /** Addresses and `group:<name>` as whom it reads documents that only some may read, besides its own addresses. */
  @Column({ type: 'text', array: true, default: '{}' }) reads_as: string[];
  /** The contact that this one was merged into. It keeps its own messages and identities, for an undo of the merge. */
  @Column({ type: 'text', nullable: true }) merged_into: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
