import type { DeliverCall, DeliverFailure, DeliverResponse } from './delivery.js';

export interface Reaction {
  /** The message that is reacted to. */
  messageId: string;
  /** An emoji, or its name at the provider between colons. */
  emoji: string;
}

/**
 * Delivers a message that may have a reaction. Without text and files the reaction is all there is, and fails the
 * delivery when it fails. With them it comes last, and what has arrived stays: `fallback` says `reaction`.
 */
export async function deliverReaction(
  call: DeliverCall,
  send: () => Promise<DeliverResponse>,
  react: (reaction: Reaction) => Promise<{ ok: true } | DeliverFailure>,
): Promise<DeliverResponse> {
  const { text, attachments, reaction_to: messageId, reaction: emoji } = call.message;
  if (messageId === undefined || emoji === undefined) return send();
  const isAlone = text.trim() === '' && !attachments?.length;
  const sent = isAlone ? undefined : await send();
  if (sent?.ok === false) return sent;
  const reacted = await react({ messageId, emoji });
  if (sent) return reacted.ok ? sent : { ...sent, fallback: sent.fallback ?? 'reaction' };
  if (!reacted.ok) return reacted;
  return { ok: true, message_id: messageId, channel_address: call.channel_address, parts: [], fallback: null };
}
