import { type MissedSinceCall, type MissedSinceResult, secretList } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { missedFailure, missedNotConfigured } from '../provider-calls/missed-failure.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/**
 * Has Telegram send its pending updates now. It keeps them for a day, but after failures its next try is long away;
 * setting the webhook again, to what it is, begins anew. Source: https://core.telegram.org/bots/api#setwebhook
 */
export async function hastenPending(call: MissedSinceCall, settings: TelegramSettings): Promise<MissedSinceResult> {
  const info = await callTelegram('getWebhookInfo', { json: {} }, call.credentials, settings);
  if (!info.ok) return missedFailure(info);
  const { url, pending_update_count: pending, allowed_updates, max_connections, has_custom_certificate } = info.result;
  if (URL.parse(textOf(url) ?? '')?.href !== URL.parse(call.webhook_url)?.href) {
    return missedNotConfigured('the webhook of the bot has another URL: call setWebhook');
  }
  // Its certificate would be lost.
  if (has_custom_certificate === true) {
    return missedNotConfigured('the webhook has a certificate of its own: Telegram sends later');
  }
  const count = Number.isInteger(pending) ? Number(pending) : 0;
  if (count === 0) return { ok: true, redeliveries: 0, requests: [] };
  const [secret_token] = secretList(call.credentials.signing_secret);
  const json = {
    url,
    // Without it every update would be refused.
    ...(secret_token !== undefined && { secret_token }),
    ...(Array.isArray(allowed_updates) && { allowed_updates }),
    ...(typeof max_connections === 'number' && { max_connections }),
    drop_pending_updates: false,
  };
  const set = await callTelegram('setWebhook', { json }, call.credentials, settings);
  return set.ok ? { ok: true, redeliveries: count, requests: [] } : missedFailure(set);
}
