import { createHash, timingSafeEqual } from 'node:crypto';
import { headerValue, refuseWebhook, secretList, type InboundCall, type VerifyWebhookResult } from '#libs/adapter-sdk';

/**
 * `X-Telegram-Bot-Api-Secret-Token` is the secret itself, which says who sends and nothing of the body.
 * Source: https://core.telegram.org/bots/api#setwebhook
 */
export function verifyTelegramWebhook({ credentials, request }: InboundCall): VerifyWebhookResult {
  const secrets = secretList(credentials.signing_secret);
  if (secrets.length === 0) return refuseWebhook('not_configured', 'no secret token is set');
  const given = headerValue(request.headers, 'x-telegram-bot-api-secret-token');
  if (!given) return refuseWebhook('missing_signature', 'X-Telegram-Bot-Api-Secret-Token is not there');
  const matches = secrets.map((secret) => timingSafeEqual(digest(given), digest(secret)));
  return matches.includes(true)
    ? { ok: true, scheme: 'telegram-secret-token' }
    : refuseWebhook('bad_signature', 'X-Telegram-Bot-Api-Secret-Token is another one');
}

/** Of equal length whatever the text, so that the comparison does not tell the secret's length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
