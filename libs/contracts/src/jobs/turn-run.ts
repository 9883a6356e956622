import { IsInt, IsObject, IsOptional, IsString } from 'class-validator';
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
}

export const turnRun = defineJob<TurnRunPayload>({
  name: 'turn.run',
  queue: 'turns',
  payload: TurnRunPayload,
  jobId: (payload) => payload.turn_id,
  attempts: 8,
  backoff: { baseMs: 500, capMs: 30_000 },
});
