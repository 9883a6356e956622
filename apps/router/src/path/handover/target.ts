import type { TurnInput, TurnRunPayload } from '#libs/contracts';
import type { MessageRow, Target } from '../../entities/message.entity.js';

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
