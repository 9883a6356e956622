import {
  type AgentRequest,
  type AgentRequested,
  agentCallersOf,
  columnsOf,
  newId,
  turnRun,
  type TurnRunPayload,
} from '#libs/contracts';
import { home } from '#libs/testing';
import { type EngineWorld, turnOf } from './engine-world.js';

/**
 * Has the fake of the router take requests to published agents as the real one does: each message once.
 * @returns the turns that it has handed over
 */
export function routesRequests(
  world: EngineWorld,
  refusal?: string,
  trust: 'unknown' | 'known' = 'unknown',
): TurnRunPayload[] {
  const taken = new Map<string, AgentRequested<TurnRunPayload>>();
  const turns: TurnRunPayload[] = [];
  world.services.on('/internal/agent-requests', async ({ body }) => {
    const { agent_id, caller, text, message_id, context_id } = body as Record<keyof AgentRequest, string>;
    const key = JSON.stringify([agent_id, caller, message_id]);
    const before = taken.get(key);
    if (before) return { ...before, repeated: true };
    const receipt_id = newId('evt');
    const session = {
      key: `${caller} ${context_id}`,
      contact_id: null,
      inbox_mode: 'queue',
      reset_before: null,
    } as const;
    const of = { receipt_id, agent_id, session, app_id: agentCallersOf(columnsOf(home).project_id) };
    const message = { event_type: 'agent_request', sender: caller, message: text, is_bot: false };
    const turn = refusal ? null : turnOf(of, { message, reply: null, reply_withheld: 'fetched', trust });
    if (turn) {
      turns.push(turn);
      await world.jobs.enqueue(turnRun, turn);
    }
    const answer = { receipt_id, turn, refusal: refusal ?? null, repeated: false };
    taken.set(key, answer);
    return answer;
  });
  return turns;
}
