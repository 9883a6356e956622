import { IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import type { NormalizedMessage, ReplyTarget } from '../message.js';
import { defineJob } from '../job-contract.js';

/** What a turn works on: the message, who asked, and where the answer goes. */
export interface TurnInput {
  message: NormalizedMessage;
  /** True when the receipt's signature was checked; false for endpoints without a scheme. */
  verified: boolean;
  /** The workflow's instructions, when a workflow started the turn. */
  instructions: string | null;
  reply: ReplyTarget | null;
  /** Why `reply` is null, where the router decided so. Absent where it is not null. */
  reply_withheld?: ReplyWithheld;
  /** A person's replay without delivery: what would change anything is not called, and answers as a rehearsal. */
  rehearsal?: true;
  /** What the sender is told when the turn fails. Absent: nothing. */
  failure_notice?: string;
  /** How far the sender is trusted. Absent in turns that were stored before it existed: as `unknown`. */
  trust?: TrustGrade;
  /** Of the built-in Webhook app: whether the sending system wrote the text itself. Absent: people may have. */
  text_from?: TextFrom;
  /** Who asked for the turn over the API, `key:<id>`: they decide over none of its calls. Absent: only its sender did. */
  started_by?: string[];
  /** Whose memory the turn may use. Absent where the App has no contacts: the built-in Webhook app. */
  contact_id?: string;
  /** Messages of the session that waited and are answered together with `message`, oldest first. Absent when there are none. */
  earlier?: NormalizedMessage[];
  /** What was said while people had taken the session over, since the last turn that succeeded, oldest first. Absent when nobody had. */
  takeover?: TakeoverLine[];
}

/**
 * Why an answer is sent to nobody. `no_address`: neither adapter, channel nor sender gives one. `app_cannot_send`: the App
 * has no `send` capability. The next four are kinds of automatic messages, which are never answered. `delivery_off`: a
 * person's replay without delivery.
 */
export type ReplyWithheld = 'no_address' | 'app_cannot_send' | AutomaticKind | 'delivery_off';

/** Messages that no person wrote, by what their adapter says of them (`metadata`). */
export type AutomaticKind = 'automatic_message' | 'bounce' | 'mailing_list' | 'notification';

/** Something that was said during a takeover: by the sender, to a person, or by a person. */
export type TakeoverLine = (
  | {
      by: 'sender';
      message: NormalizedMessage;
      verified: boolean;
      /** As `isUntrusted` says of the turn that it came in. */
      untrusted: boolean;
    }
  /** Sanitised. */
  | { by: 'person'; text: string }
) & {
  /** How many of the turn's own messages (`earlier`, then `message`) had come before it. */
  after: number;
};

/** `known`: an admitted contact. `unknown`: anybody. `builtin`: a caller of the built-in Webhook app, known by its URL alone. */
export type TrustGrade = 'known' | 'unknown' | 'builtin';

/** Who wrote what an authenticated system sends: the system itself, or people whose words it passes on (mail, a form). */
export const textSources = ['system', 'people'] as const;
export type TextFrom = (typeof textSources)[number];

/** Whether the text of a turn's message counts as untrusted content: a signature vouches for the system that sent it alone. */
export function isUntrusted({
  verified,
  trust,
  text_from,
}: Pick<TurnInput, 'verified' | 'trust' | 'text_from'>): boolean {
  if (!verified || (trust ?? 'unknown') === 'unknown') return true;
  return trust === 'builtin' && text_from !== 'system';
}

/** The run of a workflow that a turn is. A run that is retried has another turn. */
export interface TurnOfRun {
  id: string;
  workflow_id: number;
  /** Null: the message named the workflow itself. */
  trigger_id: string | null;
  replay: boolean;
  /** The run that this one repeats. */
  replay_of: string | null;
}

/** The conversation that a turn belongs to: those of one key are handled one after the other. */
export interface TurnOfSession {
  key: string;
  contact_id: string | null;
  /** `collect`: what waits becomes one turn. */
  inbox_mode: 'queue' | 'collect';
  /** A session that was silent since then is over, and another one begins (RFC 3339). */
  reset_before: string | null;
  /** Its place in the order in which receipts of its App were acknowledged. Absent: it takes none, as a replay. */
  place?: string;
}

/**
 * Not to be run yet. `workflow`: its workflow was suspended `at`, and its release opens it. `messages`: more of them may come,
 * and the same turn comes again with all of them.
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
  /** Of what the router hands over, with `run`, `session` and `agent_id`. Absent: the engine has the turn, and is asked to run it. */
  @IsOptional() @IsString() message_id?: string;
  @IsOptional() @IsObject() run?: TurnOfRun | null;
  @IsOptional() @IsObject() session?: TurnOfSession | null;
  @IsOptional() @IsString() agent_id?: string | null;
  @IsOptional() @IsObject() held?: HeldTurn;
  /** It was handed over before, by a job that may be lost. */
  @IsOptional() @IsIn([true]) again?: true;
  /** Of a turn that is enqueued again: how often the turn was claimed before it. */
  @IsOptional() @IsInt() claims?: number;
  /** Absent when over the inline limit: the engine then reads it from the router. */
  @IsOptional() @IsObject() input?: TurnInput;
  /** Of a project that sends more than its share: it is handled after what is within one. Absent: it is within. */
  @IsOptional() @IsIn([true]) surplus?: true;
}

export const turnRun = defineJob<TurnRunPayload>({
  name: 'turn.run',
  queue: 'turns',
  hasSurplus: true,
  payload: TurnRunPayload,
  // What is held must not be taken for the same turn that may go on, nor its enqueuing for the job that stored the turn.
  jobId: ({ turn_id, held, claims, again }) => {
    if (held) return `${turn_id}_held`;
    if (again) return `${turn_id}_again`;
    return claims === undefined ? turn_id : `${turn_id}_enqueued_${claims}`;
  },
  attempts: 8,
  backoff: { baseMs: 500, capMs: 30_000 },
});
