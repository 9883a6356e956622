import { IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import type { InboundRequest } from '../message.js';
import { defineJob } from '../job-contract.js';

/** Verify (unless the ingress has), parse and hand to the router one stored receipt. */
export class InboundParsePayload {
  @IsString() receipt_id: string;
  @IsString() received_at: string;
  @IsString() organization_id: string;
  @IsString() project_id: string;
  @IsString() app_id: string;
  /** The scheme the ingress checked, or null when the adapter has to verify. */
  @IsOptional() @IsString() verified_scheme: string | null;
  /** Absent when the body is over the inline limit: the gateway then reads the receipt from the ingress. */
  @IsOptional() @IsObject() request?: InboundRequest;
  /** From a project that sends more than its share: handled after everything within a share. Absent: within it. */
  @IsOptional() @IsIn([true]) surplus?: true;
  /** When enqueued again: the attempts recorded in the timeline; numbering continues from there. */
  @IsOptional() @IsInt() tried?: number;
  /** A replay requested by a person: it bypasses claims under this ordinal. */
  @IsOptional() @IsIn([true]) replay?: true;
}

export const inboundParse = defineJob<InboundParsePayload>({
  name: 'inbound.parse',
  queue: 'inbound',
  hasSurplus: true,
  payload: InboundParsePayload,
  // The earlier job may still exist, left by a dead process.
  jobId: ({ receipt_id, tried }) => (tried === undefined ? receipt_id : `${receipt_id}_again`),
  attempts: 12,
  backoff: { baseMs: 250, capMs: 20_000 },
});
