import { defineAdapter, type AdapterDefinition, type ProviderHttp } from '#libs/adapter-sdk';
import { gathered } from './albums.js';
import { heard } from '../hearing/hears.js';
import { answerPress } from './answer-press.js';
import { deliverMessage } from './deliver-message.js';
import { fetchFile } from './fetch-file.js';
import { formatMessage } from './format-message.js';
import { indicate } from './indicate.js';
import { parseTelegramInbound } from './parse-inbound.js';
import { hastenPending } from './missed-since.js';
import { pollUpdates } from './poll-updates.js';
import { TELEGRAM_API_URL, type TelegramSettings } from './telegram-api.js';
import { TELEGRAM_MAX_LENGTH, telegramManifest } from './telegram.manifest.js';
import { verifyCredentials } from './verify-credentials.js';
import { verifyTelegramWebhook } from './verify-webhook.js';

/** A Telegram bot over webhooks, or asked for its updates. Telegram has no look-up of sent messages, so a lost answer stays unknown. */
export function createTelegramAdapter(http: ProviderHttp & Partial<TelegramSettings>): AdapterDefinition {
  const settings = { apiUrl: TELEGRAM_API_URL, ...http };
  return defineAdapter({
    manifest: telegramManifest,
    verify: (call) => verifyCredentials(call, settings),
    verifyWebhook: verifyTelegramWebhook,
    parseInbound: async (call) => {
      const parsed = parseTelegramInbound(call);
      await answerPress(parsed, call.credentials, settings);
      const message = await gathered(parsed);
      return heard(message, call.credentials, message.metadata?.mentions_bot === true);
    },
    missedSince: (call) => hastenPending(call, settings),
    poll: (call) => pollUpdates(call, settings),
    deliver: (call) => deliverMessage(call, settings),
    indicate: (call) => indicate(call, settings),
    fetchFile: (call) => fetchFile(call, settings),
    format: (request) => formatMessage(request, TELEGRAM_MAX_LENGTH),
  });
}
