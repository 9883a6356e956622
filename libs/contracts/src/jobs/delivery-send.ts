import { IsObject, IsOptional, IsString } from 'class-validator';
import { IsCustody, type JobCustody } from '../job-custody.js';
import type { ReplyTarget } from '../message.js';
import { defineJob } from '../job-contract.js';

/** Describes a file to deliver; the gateway keeps its bytes. */
export interface AttachmentHead {
  name: string;
  content_type: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

/** A choice below a message; `value` comes back with the press. */
export interface OutboundAction {
  id: string;
  label: string;
  style?: 'default' | 'primary' | 'danger';
  value: string;
}

export interface OutboundContent {
  text: string;
  /** Absent: Markdown, which the adapter's `/format` renders. The others are delivered as they are. */
  format?: 'markdown' | 'plain' | 'native';
  subject?: string;
  /** Absent: none. */
  attachments?: AttachmentHead[];
  /** The provider's id of the message to change. */
  edit_of?: string;
  /**
   * The key of a delivery to the same address, of the same App, whose message this one takes the place of: an edit where
   * that has arrived and can be edited, else a message of its own. The other one is not sent any more from then on.
   */
  replaces?: string;
  /** Keys of those before that one, the last first: none of them is sent any more either. */
  replaces_earlier?: string[];
  /** Another delivery has taken its place: what of it is not sent yet never will be. */
  replaced?: true;
  actions?: OutboundAction[];
  /** The only sender whose answer counts where the channel has no buttons. Absent: any. */
  actions_for?: string;
  /** The provider's id of the message to react to, and an emoji. */
  reaction?: { to: string; emoji: string };
  target: ReplyTarget;
}

/**
 * A first job that is taken within this time may be attempted before its delivery has a row, and one that is offered
 * again is taken later: by then it has one.
 */
export const firstAttemptWithinMs = 1_000;
export const resentAfterMs = 2 * firstAttemptWithinMs;

/**
 * Deliver one committed reply through its App. The gateway commits it by `delivery_id` before the first attempt, or for
 * the built-in App with its result.
 */
export class DeliverySendPayload {
  @IsString() delivery_id: string;
  @IsString() organization_id: string;
  @IsString() project_id: string;
  @IsString() receipt_id: string;
  @IsOptional() @IsString() turn_id: string | null;
  /** Absent when over the inline limit: the gateway then reads it from the engine. */
  @IsOptional() @IsObject() content?: OutboundContent;
  /** Absent: it is a first job, within its project's share. */
  @IsOptional() @IsCustody() custody?: JobCustody;
}

export const deliverySend = defineJob<DeliverySendPayload>({
  name: 'delivery.send',
  queue: 'outbound',
  hasSurplus: true,
  isSharded: true,
  payload: DeliverySendPayload,
  jobId: (payload) => payload.delivery_id,
  attempts: 12,
  backoff: { baseMs: 250, capMs: 20_000 },
});
