import { ArrayMinSize, IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { IsCustody, type JobCustody } from '../job-custody.js';
import { type InterimKind, interimKinds, type NormalizedMessage } from '../message.js';
import type { Outcome, Stage } from '../outcomes.js';
import type { RequestFacts } from '../request-facts.js';
import { type TextFrom, textSources } from './turn-run.js';
import { defineJob } from '../job-contract.js';

/** A journal entry without its subject, which whoever gets it commits. */
export interface UncommittedEntry {
  at: string;
  stage: Stage;
  outcome: Outcome;
  reason: string | null;
  attempt: number;
  duration_ms: number | null;
  detail: Record<string, unknown> | null;
}

/** Claim and route the messages that one receipt was parsed into (one, unless the provider batches). */
export class MessageRoutePayload {
  @IsString() receipt_id: string;
  /** Digest of the App and the dedup keys of the messages. Absent: from an earlier release. */
  @IsOptional() @IsString() key?: string;
  @IsString() received_at: string;
  @IsString() organization_id: string;
  @IsString() project_id: string;
  @IsString() app_id: string;
  /** The rules for unknown senders, echoes and loops do not apply to the built-in Webhook app (spec 4.3). */
  @IsIn(['builtin', 'adapter']) app_kind: 'builtin' | 'adapter';
  @IsString() verified_scheme: string;
  /** According to the App: whether its system wrote the text itself. Absent: people may have. */
  @IsOptional() @IsIn(textSources) text_from?: TextFrom;
  /** False: the App has no `send` capability, so nothing can be answered through it. Absent: it has one. */
  @IsOptional() @IsBoolean() app_sends?: boolean;
  /** The App's channel can show that an answer is being written. Absent: it cannot. */
  @IsOptional() @IsIn([true]) app_types?: true;
  /** The App's channel takes files. Absent: it does not. */
  @IsOptional() @IsIn([true]) app_sends_files?: true;
  /** How the App's channel shows a message before the answer. Absent: it shows none. */
  @IsOptional() @IsIn(interimKinds) app_interim?: InterimKind;
  /** Absent when over the inline limit: the router then reads them from the gateway. */
  @IsOptional() @IsArray() @ArrayMinSize(1) messages?: NormalizedMessage[];
  /** What filters may read of the request. Absent: there was none, or it comes from an earlier release. */
  @IsOptional() @IsObject() request?: RequestFacts;
  /** Absent: it is a first job, within its project's share. */
  @IsOptional() @IsCustody() custody?: JobCustody;
  /** The gateway's journal entries for the receipt: committed with its routing, so that parsing commits nothing. */
  @IsOptional() @IsArray() entries?: UncommittedEntry[];
}

export const messageRoute = defineJob<MessageRoutePayload>({
  name: 'message.route',
  queue: 'route',
  hasSurplus: true,
  isSharded: true,
  payload: MessageRoutePayload,
  jobId: ({ receipt_id, key = receipt_id, custody }) =>
    custody?.attempts === undefined ? key : `${key}_${receipt_id}_again`,
  // A provider that delivers a message twice makes two receipts with one key, and each of them has to end.
  ownId: ({ receipt_id, key = receipt_id }) => `${key}_${receipt_id}`,
  attempts: 20,
  backoff: { baseMs: 250, capMs: 10_000 },
});
