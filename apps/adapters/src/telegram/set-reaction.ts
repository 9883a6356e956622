import { type DeliverCall, type DeliverFailure, deliverFailure, type Reaction } from '#libs/adapter-sdk';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** Telegram takes some seventy emoji; it answers 400 `REACTION_INVALID` to every other one. */
export async function setReaction(
  { credentials, channel_address }: DeliverCall,
  { messageId, emoji }: Reaction,
  settings: TelegramSettings,
): Promise<{ ok: true } | DeliverFailure> {
  if (!/^\d{1,15}$/.test(messageId)) {
    return deliverFailure('invalid_request', 'message.reaction_to must be the number of a message');
  }
  // Telegram's own are written without the selector of the coloured form.
  const reaction = [{ type: 'emoji', emoji: emoji.replaceAll('\ufe0f', '') }];
  const json = { chat_id: channel_address, message_id: Number(messageId), reaction };
  const answer = await callTelegram('setMessageReaction', { json }, credentials, settings);
  return answer.ok ? { ok: true } : answer;
}
