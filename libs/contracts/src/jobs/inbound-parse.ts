import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { IsCustody, type JobCustody } from '../job-custody.js';
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
  /** Absent: it is a first job, within its project's share. */
  @IsOptional() @IsCustody() custody?: JobCustody;
  /** A replay requested by a person: it bypasses claims under this ordinal. */
  @IsOptional() @IsIn([true]) replay?: true;
}

export const inboundParse = defineJob<InboundParsePayload>({
  name: 'inbound.parse',
  queue: 'inbound',
  hasSurplus: true,
  isSharded: true,
  payload: InboundParsePayload,
  // The earlier job may still exist, left by a dead process.
  jobId: ({ receipt_id, custody }) => (custody?.attempts === undefined ? receipt_id : `${receipt_id}_again`),
  attempts: 12,
  backoff: { baseMs: 250, capMs: 20_000 },
});
