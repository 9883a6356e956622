import {
  type ContentTrust,
  type CredentialBinding,
  type StoredReplyTarget,
  type ToolGrade,
  type ToolsetTool,
  type TurnInput,
  type TurnReply,
  type TurnRunPayload,
  wholeReplyTarget,
  type WorkflowStepKind,
  type WorkflowStepState,
} from '#libs/contracts';
import type { EntryInRow } from '#libs/journal';
import { openSuspect, WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

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
 * As the row of a turn has it. Of turns that succeeded, it is without what the row says itself or what is null, and
 * outside of conversations without its message, which the router has.
 */
export type StoredInput = Omit<TurnInput, 'message' | 'instructions' | 'reply'> &
  Partial<Pick<TurnInput, 'message' | 'instructions'>> & { reply: StoredReplyTarget | null };

/** What a `StoredInput` was made of; its message may be with the router. */
export type LeftInput = Omit<TurnInput, 'message'> & Partial<Pick<TurnInput, 'message'>>;

type WithInput = Pick<Turn, 'app_id' | 'input'>;

export function givenInput({ app_id, input }: WithInput): LeftInput | null {
  return input && { instructions: null, ...input, reply: input.reply && wholeReplyTarget(input.reply, app_id) };
}

/** The input of a turn that has not succeeded, or that is part of a conversation; null where it lacks its message. */
export function wholeInput(turn: WithInput): TurnInput | null {
  const input = givenInput(turn);
  return input?.message ? { ...input, message: input.message } : null;
}

/**
 * One turn of an agent. If it belongs to a workflow, it is the run. `reason`: why it waits or has failed; of one that
 * succeeded, what its reply lacks or why there is none.
 */
@Entity({ schema: 'engine', name: 'turn' })
@Index('turn_of_session', ['session_id', 'id'], { where: 'session_id IS NOT NULL' })
@Index('turn_by_run', ['project_id', 'run_id'], { where: 'run_id IS NOT NULL' })
@Index('turn_by_receipt', ['receipt_id'])
@Index('turn_active', ['session_id'], { unique: true, where: `session_id IS NOT NULL AND state IN ${activeStates}` })
@Index('turn_inbox', ['session_id', 'receipt_id', 'id'], { where: "state = 'waiting'" })
@Index('turn_handled', ['session_id'], { where: "state = 'handled'" })
@Index('turn_held', ['project_id', 'workflow_id'], { where: "state = 'held'" })
@Index('turn_called', ['called_by'], { where: 'called_by IS NOT NULL' })
@Index('turn_ended', ['ended_at'], { where: 'ended_at IS NOT NULL' })
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
  @Column({ type: 'jsonb', nullable: true }) input: StoredInput | null;
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
  /** The turn of another agent that asked for it as a tool. */
  @Column({ type: 'text', nullable: true }) called_by: string | null;
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
  /** Its step, where it asked its model once and did nothing else: such a step has no row. Only `stepsOf` reads it. */
  @Column({ type: 'jsonb', nullable: true }) only_step: OnlyStep | null;
  @Column({ type: 'integer', default: 0 }) steps: number;
  @Column({ type: 'integer', default: 0 }) tokens: number;
  /** Of all model calls, in millionths. */
  @Column({ type: 'integer', default: 0 }) cost_micros: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  /** Its entry in the timeline: that it succeeded. Null: it has not, or the journal has it. */
  @Column({ type: 'json', nullable: true }) entry: EntryInRow | null;
}

const trialApp = 'trial:';

/** In place of the App of a turn that a person tries. Such a turn has no event, so no timeline and no dead letter. */
export function trialAppOf(projectId: string): string {
  return `${trialApp}${projectId}`;
}

export function isOfTrial({ app_id }: Pick<Turn, 'app_id'>): boolean {
  return app_id.startsWith(trialApp);
}

const calledApp = 'called:';

/** In place of the App of a turn that another turn called. The timeline of the event tells of the call. */
export function calledAppOf(projectId: string): string {
  return `${calledApp}${projectId}`;
}

/** Whether the journal has no entries about it. */
export function isUnreported({ app_id }: Pick<Turn, 'app_id'>): boolean {
  return app_id.startsWith(trialApp) || app_id.startsWith(calledApp);
}

/** The job of a stored turn. */
export function turnJobOf(turn: Turn): TurnRunPayload {
  const { id, organization_id, project_id, app_id, receipt_id, agent_id, claim } = turn;
  return { turn_id: id, organization_id, project_id, app_id, receipt_id, agent_id, custody: { attempts: claim } };
}

/** Of a turn `t`. One that was redriven since needs no notice of its failure: it was sent, or the answer takes its place. */
export const dueNoticeSql = `CASE WHEN t.state = 'failed' THEN t.notice_id END`;

export const dueNoticeOf = ({ state, notice_id: id }: Pick<Turn, 'state' | 'notice_id'>): string | null =>
  state === 'failed' ? id : null;

/** Why a turn waits or has failed. */
export function errorOf({ state, reason }: Pick<Turn, 'state' | 'reason'>): string | null {
  return state === 'succeeded' ? null : reason;
}

/** What the reply of a turn that succeeded lacks, or why there is none. */
export function replyReasonOf({ state, reason }: Pick<Turn, 'state' | 'reason'>): string | null {
  return state === 'succeeded' ? reason : null;
}

export const stepKinds = ['model_call', 'tool_call', 'tool_result', 'shortened'] as const;
export type StepKind = (typeof stepKinds)[number];

/**
 * One thing that a turn did. `shortened`: the model is shown less from here on. A `tool_call` without its `tool_result`
 * is a call with an unknown outcome. The reply is stored in the turn.
 */
@Entity({ schema: 'engine', name: 'step' })
export class Step {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'step_pkey' }) turn_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'step_pkey' }) seq: number;
  @Column({ type: 'text' }) kind: StepKind;
  @Column({ type: 'jsonb' }) content: Record<string, unknown>;
  @Column({ type: 'integer', nullable: true }) tokens: number | null;
  @Column({ type: 'double precision', nullable: true }) duration_ms: number | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

/** The content of a turn's one `model_call` without what the turn's row or most such steps say, and its duration in ms. */
export type OnlyStep = Record<string, unknown> & { ms: number };

/** `begun`: in flight, or its process died and the outcome is unknown. `refused` and `rehearsed` were never made. */
export type CallOutcome = 'begun' | 'ok' | 'error' | 'refused' | 'rehearsed';

/** An access token that a Python tool was given: of which credential and version, and its SHA-256 in hex. */
export interface GivenToken extends Pick<CredentialBinding, 'as' | 'credential_id' | 'skill_id'> {
  version: number;
  sha256: string;
}

/** The audit record of a tool call: who called what, with which outcome. Arguments are hashed, results left out. */
@Entity({ schema: 'engine', name: 'tool_call' })
@Index('tool_call_callback', ['callback_sha256'], { unique: true, where: 'callback_sha256 IS NOT NULL' })
@Index('tool_call_python', ['tool_id', 'turn_id', 'seq'], { where: "source = 'python'" })
export class ToolCallRecord {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_call_pkey' }) turn_id: string;
  /** Seq of the step in which the call begins or is refused. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'tool_call_pkey' }) seq: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) call_ref: string;
  /** The name that the model used. */
  @Column({ type: 'text' }) tool: string;
  @Column({ type: 'text' }) source: ToolsetTool['source'] | 'agent' | 'none';
  @Column({ type: 'text', nullable: true }) tool_id: string | null;
  @Column({ type: 'text' }) grade: ToolGrade | 'none';
  @Column({ type: 'text' }) arguments_sha256: string;
  @Column({ type: 'text' }) outcome: CallOutcome;
  /** Of a failure. */
  @Column({ type: 'text', nullable: true }) code: string | null;
  @Column({ type: 'double precision', nullable: true }) duration_ms: number | null;
  /** Hash of the token with which a Python tool asks the engine for HTTP. The token is void once the call has ended. */
  @Column({ type: 'text', nullable: true }) callback_sha256: string | null;
  /** How many requests it has made. */
  @Column({ type: 'integer', default: 0 }) callbacks: number;
  /** The only hosts that they may reach; null: any. */
  @Column({ type: 'text', array: true, nullable: true }) hosts: readonly string[] | null;
  /** The access tokens that a Python tool was given, as digests; null: none. */
  @Column({ type: 'jsonb', nullable: true }) tokens: GivenToken[] | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
}

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

/**
 * A step of a run. It is worked on under the claim of its run's turn, whose lease is the only one: `claim` is the claim
 * of the turn that began it last, and `tries` counts how often it was begun. `waiting`: for a person, or for an event;
 * then `blocked_since` is set as long as the router may take an event for it.
 */
@Entity({ schema: 'engine', name: 'workflow_step' })
@Unique('workflow_step_position', ['turn_id', 'position'])
@Index('workflow_step_wait', ['blocked_since'], { where: "kind = 'wait' AND blocked_since IS NOT NULL" })
export class WorkflowStepRow extends WorkRow<WorkflowStepState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'workflow_step_pkey' }) id: string;
  @Column({ type: 'text' }) turn_id: string;
  /** From 0, as declared. */
  @Column({ type: 'integer' }) position: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) kind: WorkflowStepKind;
  /** What it works on, decided when it begins: a call has the same arguments in each try. */
  @Column({ type: 'jsonb', nullable: true }) input: Record<string, unknown> | null;
  /** What later steps read. */
  @Column({ type: 'jsonb', nullable: true }) output: Record<string, unknown> | null;
  /** Of its output. */
  @Column({ type: 'text', default: 'own' }) content_trust: ContentTrust;
  /** The turn's last entry in `engine.step` before it began: what comes after is its own. Null: it has not begun. */
  @Column({ type: 'integer', nullable: true }) after_seq: number | null;
  @Column({ type: 'timestamptz', nullable: true }) started_at: Date | null;
}

/** A message that a turn sent before its answer. Its text is with its delivery. It is kept as long as the turn. */
@Entity({ schema: 'engine', name: 'turn_interim' })
export class TurnInterim {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_interim_pkey' }) turn_id: string;
  /** The call of the tool: repeated after a crash, it sends nothing more. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'turn_interim_pkey' }) call_ref: string;
  /** Its place among those of the turn, from 1. */
  @Column({ type: 'integer' }) seq: number;
  /** The answer comes after it, and does not take its place. */
  @Column({ type: 'boolean' }) stays: boolean;
}

/** The gateway knows its delivery by this key, whether or not the engine has heard of it. */
export const interimKey = ({ turn_id, call_ref }: Pick<TurnInterim, 'turn_id' | 'call_ref'>): string =>
  `interim:${turn_id}:${call_ref}`;
