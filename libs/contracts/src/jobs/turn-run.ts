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

/** Run one agent turn. The engine commits it by `turn_id`, so the job may come any number of times. */
export class TurnRunPayload {
  @IsString() turn_id: string;
  @IsString() organization_id: string;
  @IsString() project_id: string;
  @IsString() app_id: string;
  @IsString() receipt_id: string;
  @IsOptional() @IsString() run_id: string | null;
  @IsOptional() @IsString() session_id: string | null;
  @IsOptional() @IsString() agent_id: string | null;
  /** The session's fencing number; echoed in `turn.finished`. */
  @IsInt() epoch: number;
  /** Absent when over the inline limit: the engine then reads it from the router. */
  @IsOptional() @IsObject() input?: TurnInput;
  @IsOptional() @IsString() traceparent?: string;
  /** How often the turn was redriven: one that failed before the last time goes on from its steps. Absent: never. */
  @IsOptional() @IsInt() redrives?: number;
  /** End the turn instead of running it: it was cancelled. Absent otherwise. */
  @IsOptional() @IsIn([true]) cancelled?: true;
}

export const turnRun = defineJob<TurnRunPayload>({
  name: 'turn.run',
  queue: 'turns',
  payload: TurnRunPayload,
  // A cancellation must not be taken for the job that it cancels, nor a redrive for the job that failed.
  jobId: ({ turn_id, cancelled, redrives }) =>
    cancelled ? `${turn_id}_cancel` : redrives ? `${turn_id}_redrive_${redrives}` : turn_id,
  attempts: 8,
  backoff: { baseMs: 500, capMs: 30_000 },
});
