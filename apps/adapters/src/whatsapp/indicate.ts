import type { IndicateCall, IndicateResult } from '#libs/adapter-sdk';
import { accountOf, callWhatsapp, type WhatsappSettings } from './whatsapp-api.js';

/**
 * Shows for at most 25 seconds that an answer is written. WhatsApp shows it to a message, which it marks as read.
 * Source: https://developers.facebook.com/docs/whatsapp/cloud-api/typing-indicators
 */
export async function indicate(call: IndicateCall, settings: WhatsappSettings): Promise<IndicateResult> {
  const account = accountOf(call.credentials);
  if ('ok' in account) return account;
  const { message_id: messageId } = call;
  if (call.state === 'done' || messageId === undefined) return { ok: true };
  const json = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: messageId,
    typing_indicator: { type: 'text' },
  };
  const answer = await callWhatsapp(`${account.number}/messages`, { json }, account.token, settings);
  return answer.ok ? { ok: true } : answer;
}
