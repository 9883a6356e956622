import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { createHash } from 'node:crypto';
import { defineJob } from '../job-contract.js';
import type { TurnReply } from '../turn-ends.js';

export interface FinishedTurn {
  turn_id: string;
  state: 'succeeded' | 'failed';
  error: string | null;
  /** Of one that succeeded. */
  reply?: TurnReply['reply'];
  reason?: TurnReply['reason'];
  /** How often the turn had been redriven when it ended so: an end from before a redrive ends nothing. Absent: never. */
  redrives?: number;
}

/** Turns that ended, collected for a few milliseconds: the router frees their sessions and ends their runs. */
export class TurnFinishedPayload {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(500) turns: FinishedTurn[];
}

/** One id for one set of rows, so that a sweeper's second announcement of the same set is no second job. */
export function setId(ids: readonly string[]): string {
  return `set_${createHash('sha256')
    .update([...ids].sort().join(','))
    .digest('hex')
    .slice(0, 32)}`;
}

export const turnFinished = defineJob<TurnFinishedPayload>({
  name: 'turn.finished',
  queue: 'turn-results',
  payload: TurnFinishedPayload,
  // The end after a redrive must not be taken for the one before it, which may still wait.
  jobId: ({ turns }) => setId(turns.map(({ turn_id, redrives }) => (redrives ? `${turn_id}:${redrives}` : turn_id))),
  attempts: 10,
  backoff: { baseMs: 250, capMs: 10_000 },
});
