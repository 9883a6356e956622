import { IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import type { InboundRequest } from '../message.js';
import { defineJob } from '../job-contract.js';

/** Verify (where the ingress has not), parse and hand to the router one stored receipt. */
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
  /** Of a project that sends more than its share: it is handled after what is within one. Absent: it is within. */
  @IsOptional() @IsIn([true]) surplus?: true;
  /** Of one that is enqueued again: attempts that the timeline has told of; the numbers of further ones go on from there. */
  @IsOptional() @IsInt() tried?: number;
  /** A replay asked for by a person: claims are bypassed by this ordinal. */
  @IsOptional() @IsIn([true]) replay?: true;
}

export const inboundParse = defineJob<InboundParsePayload>({
  name: 'inbound.parse',
  queue: 'inbound',
  hasSurplus: true,
  payload: InboundParsePayload,
  // The job before may still be there, of a process that is dead.
  jobId: ({ receipt_id, tried }) => (tried === undefined ? receipt_id : `${receipt_id}_again`),
  attempts: 12,
  backoff: { baseMs: 250, capMs: 20_000 },
});
