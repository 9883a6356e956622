import { secretList, type VerifyCall, type VerifyResult } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { refusedCredentials } from '../provider-calls/refused-credentials.js';
import { callDiscord, type DiscordSettings } from './discord-api.js';

/** Asks whose token it is; Discord also names the key that it signs with. */
export async function verifyApplication({ credentials }: VerifyCall, settings: DiscordSettings): Promise<VerifyResult> {
  const answer = await callDiscord('/applications/@me', { method: 'GET' }, credentials, settings);
  if (!answer.ok) return refusedCredentials(answer);
  const { fields } = answer;
  const bot = objectOf(fields.bot);
  const [id, key] = [textOf(fields.id) ?? '', textOf(fields.verify_key)];
  const name = textOf(bot.username) ?? textOf(fields.name) ?? id;
  const keys = secretList(credentials.public_key);
  const warnings = [
    ...(keys.length === 0 ? ['public_key is not set: every incoming webhook is refused'] : []),
    ...(keys.length > 0 && key !== undefined && !keys.includes(key)
      ? ['public_key is not the one of this app: every incoming webhook is refused']
      : []),
    ...(textOf(credentials.application_id) === id ? [] : ['application_id is not the one of this app']),
  ];
  return {
    ok: true,
    user: name,
    account: { id: textOf(bot.id) ?? id, name, username: name, account: id },
    ...(warnings.length > 0 && { warnings }),
  };
}
