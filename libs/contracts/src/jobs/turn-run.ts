import { IsObject, IsOptional, IsString } from 'class-validator';
import { IsCustody, type JobCustody } from '../job-custody.js';
import type { LimitNotice } from '../limit-notice.js';
import type { ContentTrust } from '../content-trust.js';
import type { NormalizedMessage, ReplyTarget } from '../message.js';
import type { ToolGrade } from '../toolset.js';
import { defineJob } from '../job-contract.js';
import type { WorkflowStep } from '../workflow-step.js';

/** What a turn works on: the message, who asked, and where the answer goes. */
export interface TurnInput {
  message: NormalizedMessage;
  /** True when the receipt's signature was checked; false for endpoints without a scheme. */
  verified: boolean;
  /** The workflow's instructions, when a workflow started the turn. */
  instructions: string | null;
  /** The JSON Schema that the answer has to hold to. Absent: the answer is a text. */
  output_schema?: Record<string, unknown>;
  /** What the run does, as its workflow declared it when the run began. Absent: its agent works on the message. */
  steps?: WorkflowStep[];
  reply: ReplyTarget | null;
  /** Why `reply` is null, if the router decided so. Absent when it is not null. */
  reply_withheld?: ReplyWithheld;
  /**
   * A person's replay without delivery: a tool that would change anything is not called, and answers as a rehearsal.
   */
  rehearsal?: true;
  /** What the sender is shown when the turn fails. Absent: nothing. */
  failure_notice?: string;
  /**
   * What the sender is shown when a limit of the day ends the turn, for `limitNotice`. Null: nothing. Absent in turns
   * stored before the field existed: `failure_notice`.
   */
  limit_words?: string | null;
  /** The message was refused by a limit, and this is all that the turn sends. Absent: the turn answers it. */
  limit_notice?: LimitNotice;
  /** How far the sender is trusted. Absent in turns stored before the field existed: treat as `unknown`. */
  trust?: TrustGrade;
  /** For the built-in Webhook app: whether the sending system wrote the text itself. Absent: people may have. */
  text_from?: TextFrom;
  /** Who requested the turn over the API, `key:<id>`: they may not approve its calls. Absent: only its sender did. */
  started_by?: string[];
  /** Whose memory the turn may use. Absent where the App has no contacts: the built-in Webhook app. */
  contact_id?: string;
  /** Earlier waiting messages of the session, answered together with `message`, oldest first. Absent when none. */
  earlier?: NormalizedMessage[];
  /** A person tries the agent: no event has the turn, and it answers nobody. Absent in all others. */
  trial?: TurnTrial;
  /** A turn of another agent asked, as a call of a tool, and gets the answer as its result. Absent in all others. */
  called_by?: TurnCaller;
  /** What was said during takeovers since the last successful turn, oldest first. Absent when there was none. */
  takeover?: TakeoverLine[];
}

/** The turn that called this one as a tool, and how far it trusts it. */
export interface TurnCaller {
  turn_id: string;
  /** Identifies the call in that turn. */
  call_ref: string;
  /** The agents whose turns wait for this one, beginning with the one that answers the message. */
  agents: string[];
  /** The highest grade that a call of this turn may have. */
  may_do: ToolGrade;
  /** The trust of what the calling model was shown, and so of what it asks. */
  window: ContentTrust;
}

/** What a turn tries: a version of its agent, be it in force or not. */
export interface TurnTrial {
  version: number;
  /** In place of those of the version. */
  instructions?: string;
  /** In place of that of the version; null: the default model. */
  model?: string | null;
  /** The turn whose message it is: tools answer what they answered then. Absent: the message is the caller's. */
  recorded_of?: string;
  /** It has none of the tools and Skills of the version. Absent: it has them. */
  without_tools?: true;
}

/**
 * Why an answer is not sent. `no_address`: neither adapter, channel nor sender gives one. `app_cannot_send`: the App
 * has no `send` capability. The next four are kinds of automatic messages, which are never answered. `delivery_off`: a
 * person's replay without delivery. `fetched`: whoever asked a published agent fetches the answer from its task.
 */
export type ReplyWithheld = 'no_address' | 'app_cannot_send' | AutomaticKind | 'delivery_off' | 'fetched';

/** Messages that no person wrote, according to their adapter (`metadata`). */
export type AutomaticKind = 'automatic_message' | 'bounce' | 'mailing_list' | 'notification';

/** Something said during a takeover: by the sender, to a person, or by a person. */
export type TakeoverLine = (
  | {
      by: 'sender';
      message: NormalizedMessage;
      verified: boolean;
      /** The result of `isUntrusted` for the turn in which it came. */
      untrusted: boolean;
    }
  /** Sanitised. */
  | { by: 'person'; text: string }
) & {
  /** How many of the turn's own messages (`earlier`, then `message`) came before it. */
  after: number;
};

/**
 * `known`: an admitted contact. `unknown`: anybody. `builtin`: a caller of the built-in Webhook app, known by its URL.
 */
export type TrustGrade = 'known' | 'unknown' | 'builtin';

/**
 * Who writes what an authenticated system sends: the system itself, or people whose words it forwards (mail, a form).
 */
export const textSources = ['system', 'people'] as const;
export type TextFrom = (typeof textSources)[number];

/** Whether a turn's message is untrusted content: a signature vouches only for the system that sent it. */
export function isUntrusted({
  verified,
  trust,
  text_from,
}: Pick<TurnInput, 'verified' | 'trust' | 'text_from'>): boolean {
  if (!verified || (trust ?? 'unknown') === 'unknown') return true;
  return trust === 'builtin' && text_from !== 'system';
}

/** The workflow run that a turn belongs to. A retried run has another turn. */
export interface TurnOfRun {
  id: string;
  workflow_id: number;
  /** Null: the message named the workflow itself. */
  trigger_id: string | null;
  replay: boolean;
  /** The run that this one repeats. */
  replay_of: string | null;
}

/** The conversation of a turn: turns with the same key run one after the other. */
export interface TurnOfSession {
  key: string;
  contact_id: string | null;
  /** `collect`: waiting messages become one turn. */
  inbox_mode: 'queue' | 'collect';
  /** A session silent since then is over, and a new one begins (RFC 3339). */
  reset_before: string | null;
  /**
   * Its place in the order in which receipts of its App were acknowledged. Absent: it has none, for example a replay.
   */
  place?: string;
}

/**
 * A turn that must not run yet. `workflow`: its workflow was suspended `at`, and is to release it. `messages`: more may
 * come, and the same turn then comes again with all of them.
 */
export interface HeldTurn {
  until: 'workflow' | 'messages';
  at: string;
}

/** Run one agent turn. The engine commits it by `turn_id`, so the job may come any number of times. */
export class TurnRunPayload {
  @IsString() turn_id: string;
  @IsString() organization_id: string;
  @IsString() project_id: string;
  @IsString() app_id: string;
  @IsString() receipt_id: string;
  /**
   * Handed over by the router, with `run`, `session` and `agent_id`. Absent: the engine has the turn and is to run it.
   */
  @IsOptional() @IsString() message_id?: string;
  @IsOptional() @IsObject() run?: TurnOfRun | null;
  @IsOptional() @IsObject() session?: TurnOfSession | null;
  @IsOptional() @IsString() agent_id?: string | null;
  @IsOptional() @IsObject() held?: HeldTurn;
  /** Absent when over the inline limit: the engine then reads it from the router. */
  @IsOptional() @IsObject() input?: TurnInput;
  /** Absent: it is a first job, within its project's share. */
  @IsOptional() @IsCustody() custody?: JobCustody;
}

export const turnRun = defineJob<TurnRunPayload>({
  name: 'turn.run',
  queue: 'turns',
  hasSurplus: true,
  isSharded: true,
  payload: TurnRunPayload,
  // A held turn and the same turn once it may run need different ids; so do a turn enqueued again and its first job.
  jobId: ({ turn_id, held, custody: { resent, attempts } = {} }) => {
    if (held) return `${turn_id}_held`;
    if (resent) return `${turn_id}_again`;
    return attempts === undefined ? turn_id : `${turn_id}_enqueued_${attempts}`;
  },
  attempts: 8,
  backoff: { baseMs: 500, capMs: 30_000 },
});
