import type { ContentTrust, TurnInput, TurnReply } from '#libs/contracts';
import { openSuspect, WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A claim of a turn, which every write has to name. */
export interface Claim {
  turn_id: string;
  claim: number;
}

/**
 * `waiting`: behind another turn of its session, or for a person who has taken it over. `held`: its workflow is
 * suspended, or more messages may come. `collected`: answered by another turn. `handled`: a person handled it. A
 * cancelled turn has `failed`.
 */
export const turnStates = [
  'waiting',
  'held',
  'queued',
  'running',
  'waiting_approval',
  'succeeded',
  'failed',
  'collected',
  'handled',
] as const;
export type TurnState = (typeof turnStates)[number];

/** At most one turn of a session is in one of these states. */
export const activeStates = "('queued', 'running', 'waiting_approval')";

/**
 * One turn of an agent. If it belongs to a workflow, it is the run. `reason`: why it waits or has failed; of one that
 * succeeded, what its reply lacks or why there is none.
 */
@Entity({ schema: 'engine', name: 'turn' })
@Index('turn_session', ['session_id', 'id'])
@Index('turn_by_run', ['project_id', 'run_id'], { where: 'run_id IS NOT NULL' })
@Index('turn_by_receipt', ['receipt_id'])
@Index('turn_active', ['session_id'], { unique: true, where: `session_id IS NOT NULL AND state IN ${activeStates}` })
@Index('turn_inbox', ['session_id', 'receipt_id', 'id'], { where: "state = 'waiting'" })
@Index('turn_handled', ['session_id'], { where: "state = 'handled'" })
@Index('turn_held', ['project_id', 'workflow_id'], { where: "state = 'held'" })
@Index('turn_sent', ['ended_at'], { where: 'answer_id IS NOT NULL OR notice_id IS NOT NULL' })
@Index('turn_suspect', ['due_at'], { where: openSuspect })
@Index('turn_due', ['due_at'], { where: "state IN ('queued', 'running')" })
@Index('turn_waiting_for_slot', ['project_id', 'id'], { where: "state = 'queued' AND reason = 'project_turns'" })
export class Turn extends WorkRow<TurnState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text', nullable: true }) message_id: string | null;
  @Column({ type: 'text', nullable: true }) run_id: string | null;
  @Column({ type: 'integer', nullable: true }) workflow_id: number | null;
  /** Null where the message named the workflow itself. */
  @Column({ type: 'text', nullable: true }) trigger_id: string | null;
  @Column({ type: 'boolean', default: false }) replay: boolean;
  /** The run that this one repeats. */
  @Column({ type: 'text', nullable: true }) replay_of: string | null;
  @Column({ type: 'text', nullable: true }) session_id: string | null;
  /** As the router asked; null: the project's Chief of Staff. */
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  /** Of the agent when it last ran; null: it has not run, or ran before versions were counted. */
  @Column({ type: 'integer', nullable: true }) agent_version: number | null;
  /** The session's epoch when the turn started or a person handled it. */
  @Column({ type: 'integer' }) epoch: number;
  @Column({ type: 'jsonb', nullable: true }) input: TurnInput | null;
  /** For a turn that succeeded: whether a reply was sent. */
  @Column({ type: 'text', nullable: true }) reply: TurnReply['reply'] | null;
  /** Claims since its last redrive that did not count: what the turn needs was away. */
  @Column({ type: 'integer', default: 0 }) waits: number;
  /** Tries since its last redrive that ended with an answer of the model that could not be read. */
  @Column({ type: 'integer', default: 0 }) unreadable: number;
  /** How often it was redriven. */
  @Column({ type: 'integer', default: 0 }) redrives: number;
  /** While `held`: what releases it. */
  @Column({ type: 'text', nullable: true }) held_for: 'workflow' | 'messages' | null;
  /** The turn that answers this one too. */
  @Column({ type: 'text', nullable: true }) collected_into: string | null;
  @Column({ type: 'text', nullable: true }) reply_text: string | null;
  /** Its answer as a value, where its workflow declares an output schema. */
  @Column({ type: 'jsonb', nullable: true }) output: Record<string, unknown> | null;
  /** Deliveries: the answer, and the failure notice. */
  @Column({ type: 'text', nullable: true }) answer_id: string | null;
  @Column({ type: 'text', nullable: true }) notice_id: string | null;
  /**
   * For a turn that succeeded: the trust of what it brought into its conversation (its message, what its calls read, and
   * what its reply repeats). It holds for later turns as long as they are shown this one.
   */
  @Column({ type: 'text', default: 'own' }) content_trust: ContentTrust;
  @Column({ type: 'integer', default: 0 }) steps: number;
  @Column({ type: 'integer', default: 0 }) tokens: number;
  /** Of all model calls, in millionths. */
  @Column({ type: 'integer', default: 0 }) cost_micros: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

const trialApp = 'trial:';

/** In place of the App of a turn that a person tries. Such a turn has no event, so no timeline and no dead letter. */
export function trialAppOf(projectId: string): string {
  return `${trialApp}${projectId}`;
}

export function isOfTrial({ app_id }: Pick<Turn, 'app_id'>): boolean {
  return app_id.startsWith(trialApp);
}

/** Why a turn waits or has failed. */
export function errorOf({ state, reason }: Pick<Turn, 'state' | 'reason'>): string | null {
  return state === 'succeeded' ? null : reason;
}

/** What the reply of a turn that succeeded lacks, or why there is none. */
export function replyReasonOf({ state, reason }: Pick<Turn, 'state' | 'reason'>): string | null {
  return state === 'succeeded' ? reason : null;
}
