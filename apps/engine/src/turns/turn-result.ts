import type { TurnEnding } from './turn-ending.repository.js';

/** What a finished loop hands over to be committed, and the facts for the journal. */
export interface TurnResult {
  ending: TurnEnding;
  facts: {
    agent: string;
    model: string;
    steps: number;
    tokens: number;
    delivery_id?: string;
    rehearsal?: true;
    /** Tools of the agent that the turn did not have because of its sender, and why. */
    withheld?: string[];
    withheld_since?: string;
    /** For a notice: the limit that it names. */
    limit?: string;
  };
  /** What was removed from the reply, by rule; null when nothing was. */
  cleaned: Record<string, number> | null;
}
