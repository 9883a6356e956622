import { secretList, type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** What Telegram takes as `secret_token`. */
const SECRET_TOKEN = /^[A-Za-z0-9_-]{1,256}$/;

/** Asks `getMe` whose token it is. */
export async function verifyCredentials(
  { credentials }: VerifyCall,
  settings: TelegramSettings,
): Promise<VerifyResult> {
  const secrets = secretList(credentials.signing_secret);
  if (!secrets.every((secret) => SECRET_TOKEN.test(secret))) {
    return { ok: false, error: 'the secret token must be 1 to 256 letters, digits, _ and -' };
  }
  const answer = await callTelegram('getMe', { json: {} }, credentials, settings);
  if (!answer.ok) return refusedCredentials(answer);
  const [id, username] = [textOf(answer.result.id) ?? '', textOf(answer.result.username) ?? ''];
  return {
    ok: true,
    user: username,
    account: { id, username, name: textOf(answer.result.first_name) ?? username, bot_id: id, account: id },
    ...(secrets.length === 0 && { warnings: ['signing_secret is not set: every incoming webhook is refused'] }),
  };
}
