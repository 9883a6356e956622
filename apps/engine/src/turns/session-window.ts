import type { PastTurn } from '../prompt/prompt.js';

/** An earlier turn, as its session is shown it. */
export interface WindowTurn extends PastTurn {
  /** It had read untrusted content: its message, or results of its calls. */
  read_untrusted: boolean;
}

/**
 * The last turns of a turn's session that succeeded before it, oldest first, as JSON.
 * @param turn what the statement calls the turn
 * @param limit of turns
 */
export const pastTurns = (turn: string, limit: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'id' ORDER BY past.id), '[]') FROM (
     SELECT id, input, reply_text, read_untrusted FROM engine.turn earlier
      WHERE earlier.session_id = ${turn}.session_id AND earlier.project_id = ${turn}.project_id
        AND earlier.state = 'succeeded' AND earlier.id < ${turn}.id
      ORDER BY earlier.id DESC LIMIT ${limit}) past)`;
