import { deliverFailure, type PollCall, type PollResult, stringifyJson } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** What is heard by webhook too. */
const allowed_updates = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
  'callback_query',
  'message_reaction',
];
const mostUpdates = 100;

/**
 * The bot's updates from the cursor on, which is an update's number: asking acknowledges those before it. A bot with a
 * webhook gives none, so the first call takes the webhook away; what it has not delivered comes here.
 * Source: https://core.telegram.org/bots/api#getupdates
 */
export async function pollUpdates(call: PollCall, settings: TelegramSettings): Promise<PollResult> {
  const { credentials, cursor, wait_seconds: wait } = call;
  if (cursor !== undefined && !/^\d{1,20}$/.test(cursor)) {
    return deliverFailure('invalid_request', 'cursor must be the number of an update');
  }
  if (cursor === undefined) {
    const freed = await callTelegram('deleteWebhook', { json: { drop_pending_updates: false } }, credentials, settings);
    if (!freed.ok) return freed;
  }
  const json = {
    ...(cursor !== undefined && { offset: Number(cursor) }),
    limit: mostUpdates,
    timeout: Math.floor(wait),
    allowed_updates,
  };
  const patient = { ...settings, timeoutMs: settings.timeoutMs + wait * 1_000 };
  const answer = await callTelegram('getUpdates', { json }, credentials, patient);
  if (!answer.ok) return answer;
  const updates = objectsOf(answer.list).flatMap((update) => {
    const id = textOf(update.update_id);
    return id === undefined ? [] : [{ id, body: stringifyJson(update) ?? '{}' }];
  });
  const last = updates.at(-1)?.id;
  return {
    ok: true,
    events: updates,
    // Also without any: a webhook that somebody sets later is their decision, and is reported as a conflict.
    cursor: last === undefined ? (cursor ?? '0') : String(Number(last) + 1),
  };
}
