import type { Outcome, ScopeColumns, Stage, TerminalOutcome } from '#libs/contracts';
import { terminalOutcomes } from '#libs/contracts';

/** Whose receipt an entry is about. */
export interface JournalSubject extends ScopeColumns {
  receipt_id: string;
  app_id: string;
}

/** One thing that happened to a receipt. */
export interface JournalEntry extends JournalSubject {
  stage: Stage;
  outcome: Outcome;
  /** A code from the stage's vocabulary (`bad_signature`, `provider_unavailable`), for people and filters. */
  reason?: string | null;
  /** The run, turn or delivery that the entry is about. */
  subject_id?: string | null;
  attempt?: number;
  duration_ms?: number | null;
  /** Small facts for the timeline; no secrets, no bodies. */
  detail?: Record<string, unknown> | null;
  at?: Date;
  /** The service that reports it, if another service writes it with its own entries. */
  service?: string;
  /**
   * Steps before it whose outcome is `ok`, to be written in the same row. Neither counts nor searches read them, only
   * timelines and streams. Absent: none.
   */
  before?: JournalEntry[];
}

/** True when the outcome ends the receipt: only at stages that decide about a receipt, not about a turn or delivery. */
export function endsReceipt(entry: Pick<JournalEntry, 'stage' | 'outcome'>): boolean {
  if (entry.stage === 'turn' || entry.stage === 'delivery') return false;
  return (terminalOutcomes as readonly string[]).includes(entry.outcome satisfies Outcome | TerminalOutcome);
}
