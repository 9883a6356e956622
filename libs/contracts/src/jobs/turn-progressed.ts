import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { defineJob } from '../job-contract.js';
import { setId } from './turn-finished.js';

/**
 * `running`: the engine has taken the turn. `waiting_approval`: a person has to decide before it goes on. `waiting`: what it
 * needs is away.
 */
export interface ProgressedTurn {
  turn_id: string;
  state: 'running' | 'waiting_approval' | 'waiting';
  /** Of `waiting`: what is away, as a code, and when the turn fails of it (RFC 3339). */
  reason?: string;
  until?: string;
  /** Grows each time the turn is taken: what comes late is known by it. */
  attempt: number;
}

/** Turns of runs that are under way, collected for a few milliseconds. News only: a run that misses it ends all the same. */
export class TurnProgressedPayload {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(500) turns: ProgressedTurn[];
}

export const turnProgressed = defineJob<TurnProgressedPayload>({
  name: 'turn.progressed',
  queue: 'turn-progress',
  payload: TurnProgressedPayload,
  jobId: ({ turns }) => setId(turns.map((turn) => `${turn.turn_id}:${turn.attempt}:${turn.state}`)),
  attempts: 3,
  backoff: { baseMs: 250, capMs: 2_000 },
});
