import { type LimitNotice, limitNoticeSent, newId, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import type { Claim } from '../entities/turn.entity.js';
import type { TurnResult } from './turn-result.js';

/** The end of a turn that sends a notice. Neither an agent nor a model takes part, so none has to exist or answer. */
export function noticeOf(
  { organization_id, project_id }: TurnRunPayload,
  claim: Claim,
  { reply }: TurnInput,
  { limit, text }: LimitNotice,
): TurnResult {
  const answer_id = reply === null || reply.channel_address === null ? null : newId('dlv');
  const sent = answer_id === null ? {} : { delivery_id: answer_id };
  return {
    ending: {
      ...claim,
      session_id: null,
      organization_id,
      project_id,
      agent_id: '',
      agent_version: null,
      contact_id: '',
      content_trust: 'own',
      reply_text: text,
      output: null,
      reason: answer_id === null ? 'no_address' : limitNoticeSent,
      steps: 1,
      tokens: 0,
      cost_micros: 0,
      new_steps: [],
      answer_id,
    },
    facts: { agent: 'none', model: 'none', steps: 1, tokens: 0, limit, ...sent },
    cleaned: null,
  };
}
