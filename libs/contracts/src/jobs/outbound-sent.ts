import { IsArray, IsOptional, IsString } from 'class-validator';
import { createHash } from 'node:crypto';
import { defineJob } from '../job-contract.js';

/** A reply went out through an adapter: the router knows it again when the provider sends it back (spec 4.2). */
export class OutboundSentPayload {
  @IsString() delivery_id: string;
  @IsString() app_id: string;
  /** Whose message it answers; null where it answers none. */
  @IsOptional() @IsString() sender: string | null;
  /** Ids that the provider gave the message; empty when its answer was lost. */
  @IsArray() @IsString({ each: true }) message_ids: string[];
  /** Null for a text that is too short to be told from others. */
  @IsOptional() @IsString() text_hash: string | null;
}

/**
 * Hex SHA-256 of a text's letters and digits: what is left when a provider has rendered it.
 * @returns null for a text so short that a person may well say the same
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
  payload: OutboundSentPayload,
  jobId: (payload) => payload.delivery_id,
  attempts: 5,
  backoff: { baseMs: 250, capMs: 5_000 },
});
