import { newId, type ScopeColumns, type TurnInput } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import type { Agent } from '../../entities/agent.entity.js';
import { isUnreported, trialAppOf, type Turn } from '../../entities/turn.entity.js';

/** A turn that answers nobody. */
export interface NewTrialTurn extends ScopeColumns {
  id: string;
  /** Null: it belongs to no conversation. */
  session_id: string | null;
  agent_id: string;
  epoch: number;
  input: TurnInput;
}

/** Stores turns of trials, to be run by any process. One that is stored already stays as it is. @returns the new ones */
export async function addTrialTurns(tx: Queryable, turns: NewTrialTurn[]): Promise<Turn[]> {
  const rows = turns.map((turn) => ({ ...turn, app_id: trialAppOf(turn.project_id), receipt_id: newId('evt') }));
  return (await tx.query(
    `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, session_id, agent_id, epoch, input)
     SELECT id, organization_id, project_id, app_id, receipt_id, session_id, agent_id, epoch, input
       FROM jsonb_to_recordset($1::jsonb) AS x(id text, organization_id text, project_id text, app_id text, receipt_id text,
            session_id text, agent_id text, epoch integer, input jsonb)
     ON CONFLICT (id) DO NOTHING RETURNING *`,
    [storableJson(rows)],
  )) as Turn[];
}

/** What a turn worked on, to be asked again. The contact's budget of the day is not for trials. */
export function repeatedInput(source: TurnInput): TurnInput {
  const { contact_id: _contact, failure_notice: _notice, limit_words: _words, ...input } = source;
  return { ...input, reply: null, reply_withheld: 'delivery_off', rehearsal: true };
}

/** @returns why the message of a turn cannot be asked again, in words; null: it can */
export function whyNotRepeatable(agent: Agent, turn: Turn): string | null {
  const isOfAgent = turn.agent_id === agent.id || (turn.agent_id === null && agent.is_chief_of_staff);
  if (!isOfAgent) return 'the turn is of another agent';
  if (turn.input?.steps) return 'the turn did the steps of a workflow, which would be done again';
  if (turn.input && !isUnreported(turn) && turn.ended_at !== null && !turn.input.limit_notice) return null;
  return 'only a turn that answered a message, and has ended, can be asked again';
}
