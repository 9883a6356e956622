import { newId, type TurnRunPayload } from '#libs/contracts';

interface Owner {
  organizationId: string;
  projectId: string;
  agentId: string;
}

/** A turn as the router hands it over, whose message is known by its number: `turn 3`. */
export function turnOf({ organizationId, projectId, agentId }: Owner, number: number): TurnRunPayload {
  const target = { app_id: newId('app'), channel_address: 'room', thread_id: null, reply_context: null };
  const message = { event_type: 'message', sender: 'ada', message: `turn ${number}`, is_bot: false };
  return {
    turn_id: newId('trn'),
    organization_id: organizationId,
    project_id: projectId,
    agent_id: agentId,
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: null,
    input: { message, verified: true, trust: 'known', instructions: null, reply: target },
  };
}
