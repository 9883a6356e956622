import type { ContentTrust } from '#libs/contracts';
import type { PastTurn } from '../prompt/prompt.js';

/** An earlier turn, as a later turn of its session is shown it. */
export interface WindowTurn extends PastTurn {
  /** Of what it brought into the conversation. */
  content_trust: ContentTrust;
}

/**
 * SQL for the turns that succeeded before a turn in its session, oldest first, as JSON.
 * @param turn the turn's alias in the statement
 * @param limit how many turns
 */
export const pastTurns = (turn: string, limit: string): string => `
  (SELECT coalesce(jsonb_agg(to_jsonb(past) - 'id' ORDER BY past.id), '[]') FROM (
     SELECT id, input, reply_text, content_trust FROM engine.turn earlier
      WHERE earlier.session_id = ${turn}.session_id AND earlier.project_id = ${turn}.project_id
        AND earlier.state = 'succeeded' AND earlier.id < ${turn}.id
      ORDER BY earlier.id DESC LIMIT ${limit}) past)`;
