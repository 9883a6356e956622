import { IsArray, IsOptional, IsString } from 'class-validator';
import { createHash } from 'node:crypto';
import { defineJob } from '../job-contract.js';

/** A reply went out through an adapter: the router recognises it when the provider sends it back (spec 4.2). */
export class OutboundSentPayload {
  @IsString() delivery_id: string;
  @IsString() app_id: string;
  /** Absent in jobs of releases that did not say it. */
  @IsOptional() @IsString() project_id?: string;
  /** The sender of the message that it answers; null when it answers none. */
  @IsOptional() @IsString() sender: string | null;
  /** Ids that the provider gave the message; empty when its answer was lost. */
  @IsArray() @IsString({ each: true }) message_ids: string[];
  /** Null for a text too short to be unique. */
  @IsOptional() @IsString() text_hash: string | null;
}

/**
 * Hex SHA-256 of a text's letters and digits: the part that survives a provider's rendering.
 * @returns null for a text so short that a person may well write the same
 */
export function textHash(text: string): string | null {
  const bare = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return bare.length < 24 ? null : createHash('sha256').update(bare).digest('hex');
}

export const outboundSent = defineJob<OutboundSentPayload>({
  name: 'outbound.sent',
  queue: 'outbound-sent',
  isUnswept: true,
  isSharded: true,
  payload: OutboundSentPayload,
  jobId: (payload) => payload.delivery_id,
  attempts: 5,
  backoff: { baseMs: 250, capMs: 5_000 },
});
