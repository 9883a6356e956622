import type { NormalizedMessage } from './message.js';
import type { TextFrom, TrustGrade } from './jobs/turn-run.js';

/** Why a turn waits, for its row. */
export const eventAwaitedCode = 'event_awaited';
/** And why one waits whose call of a tool waits for the user, or for a task of its server. */
export const callWaitsCode = 'call_waits';

/** What a condition of a wait reads of its run: the message that began it, and the steps that the condition names. */
export interface WaitReads {
  run: { event: Record<string, unknown>; metadata: Record<string, unknown> };
  steps: Record<string, Record<string, unknown>>;
}

/** A step of a run waits for an event, as the engine asks the router. The same question may be asked any number of times. */
export interface AskedWait {
  turn_id: string;
  run_id: string;
  workflow_id: number;
  /** The message that began the run: it is never what the run waits for. */
  message_id: string | null;
  step: string;
  /** Null: of any App. */
  app_id: string | null;
  /** Null: of any type. */
  event_type: string | null;
  /** A condition (CEL) over the event and `given`; null: none. */
  where: string | null;
  given: WaitReads;
  /** Whether the event that fulfils it is not routed as usual. */
  consume: boolean;
  /** Events count from then on; null: from when the wait is stored. The router goes back no further than it may. */
  since: string | null;
  until: string;
}

export const waitOutcomes = ['fulfilled', 'timed_out', 'cancelled'] as const;
export type WaitOutcome = (typeof waitOutcomes)[number];

/** The event that fulfilled a wait. */
export interface AwaitedEvent {
  id: string;
  message_id: string;
  app_id: string;
  message: NormalizedMessage;
  verified: boolean;
  trust: TrustGrade;
  text_from: TextFrom;
}

/** What the router answers. `event`: null too where a fulfilled wait's event is no longer kept. */
export interface WaitAnswer {
  state: 'waiting' | WaitOutcome;
  event: AwaitedEvent | null;
}

/** What the engine answers when it is shown that a wait has ended. `busy`: it is to be shown again in a moment. */
export type WaitHeard = { is: 'woken' | 'busy' | 'over' };
