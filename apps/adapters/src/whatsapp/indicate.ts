import type { IndicateCall, IndicateResult, NormalizedMessage } from '#libs/adapter-sdk';
import { Remembered } from '../provider-calls/remembered.js';
import { textOf } from '../provider-calls/json-fields.js';
import { accountOf, callWhatsapp, type WhatsappSettings } from './whatsapp-api.js';

const MAX_PEOPLE = 10_000;
/** As long as a person can be answered freely. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** The last message of each person: WhatsApp shows that an answer is written only to a message. */
const lastMessages = new Remembered<string>(MAX_PEOPLE);

export function rememberMessages(heard: NormalizedMessage): void {
  for (const { event_type: type, metadata = {} } of heard.metadata?.messages ?? [heard]) {
    const { account, channel_address: address, message_id: id } = metadata;
    const [key, of] = [textOf(address), textOf(id)];
    // An answer is written to what somebody wrote, not to a reaction. A status has no address.
    if (type !== 'reaction_added' && account !== undefined && key && of)
      lastMessages.set(`${account}:${key}`, of, KEPT_MS);
  }
}

/**
 * Shows for at most 25 seconds that an answer is written, which marks the message as read. What this process has not
 * heard of is not shown.
 * Source: https://developers.facebook.com/docs/whatsapp/cloud-api/typing-indicators
 */
export async function indicate(call: IndicateCall, settings: WhatsappSettings): Promise<IndicateResult> {
  const account = accountOf(call.credentials);
  if ('ok' in account) return account;
  const messageId = lastMessages.get(`${account.number}:${call.channel_address.replace('+', '')}`);
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
