import type { HeldTurn, TurnInput, TurnOfRun, TurnOfSession, TurnRunPayload } from '#libs/contracts';
import type { MessageRow } from '../../entities/message.entity.js';

/** A turn that a message starts, as the message's row stores it, without what the row already has. */
export interface Target {
  turn_id: string;
  run: TurnOfRun | null;
  session: TurnOfSession | null;
  agent_id: string | null;
  held?: HeldTurn;
  input: Omit<TurnInput, 'message'>;
}

export type Owner = Pick<MessageRow, 'id' | 'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'message'>;

/** The complete turn that the engine receives. */
export type WholeTurn = TurnRunPayload & { input: TurnInput };

export function turnOf(
  { id: message_id, organization_id, project_id, app_id, receipt_id, message }: Owner,
  { turn_id, run, session, agent_id, held, input }: Target,
): WholeTurn {
  return {
    turn_id,
    organization_id,
    project_id,
    app_id,
    receipt_id,
    message_id,
    run,
    session,
    agent_id,
    ...(held ? { held } : {}),
    input: { ...input, message },
  };
}
