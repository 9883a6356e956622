import { createHash, timingSafeEqual } from 'node:crypto';
import {
  headerValue,
  refuseUnprotected,
  refuseWebhook,
  strongSecrets,
  type InboundCall,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';

/**
 * `X-Telegram-Bot-Api-Secret-Token` is the secret itself: it proves the sender, not the body.
 * Source: https://core.telegram.org/bots/api#setwebhook
 */
export function verifyTelegramWebhook({ credentials, request }: InboundCall): VerifyWebhookResult {
  const secrets = strongSecrets(credentials.signing_secret);
  if (secrets.length === 0) return refuseUnprotected('signing_secret', credentials.signing_secret);
  const given = headerValue(request.headers, 'x-telegram-bot-api-secret-token');
  if (!given) return refuseWebhook('missing_signature', 'X-Telegram-Bot-Api-Secret-Token is missing');
  const matches = secrets.map((secret) => timingSafeEqual(digest(given), digest(secret)));
  return matches.includes(true)
    ? { ok: true, scheme: 'telegram-secret-token' }
    : refuseWebhook('bad_signature', 'X-Telegram-Bot-Api-Secret-Token does not match');
}

/** The same length for any text, so that the comparison does not reveal the secret's length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
