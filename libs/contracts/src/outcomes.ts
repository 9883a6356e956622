/** Where in the pipeline a journal entry was written, in the order that a message passes. */
export const stages = ['received', 'verified', 'parsed', 'routed', 'turn', 'delivery'] as const;
export type Stage = (typeof stages)[number];

/** The outcomes in which a receipt can end; every receipt ends in exactly one. */
export const terminalOutcomes = [
  'refused',
  'challenge',
  'verification',
  'handed_on',
  'ignored',
  'duplicate',
  'dropped_bot',
  'dropped_echo',
  'loop_paused',
  'held_unknown_sender',
  'blocked_contact',
  'no_match',
  'parked',
  'routed',
  'dead',
] as const;
export type TerminalOutcome = (typeof terminalOutcomes)[number];

/** Outcomes of a stage that does not end the receipt. */
export type StageOutcome =
  | 'accepted'
  | 'held'
  | 'ok'
  | 'retrying'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'delivered'
  | 'unknown'
  | 'expired'
  | 'replayed';

export type Outcome = TerminalOutcome | StageOutcome;
