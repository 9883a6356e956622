import { secretList, type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { hearsOf } from '../hearing/hears.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callDiscord, type DiscordSettings } from './discord-api.js';

/** Of an app: it may read what messages say, in many servers or in few. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

/** Asks whose token it is; Discord also names the key that it signs with. */
export async function verifyApplication({ credentials }: VerifyCall, settings: DiscordSettings): Promise<VerifyResult> {
  const answer = await callDiscord('/applications/@me', { method: 'GET' }, credentials, settings);
  if (!answer.ok) return refusedCredentials(answer);
  const { fields } = answer;
  const bot = objectOf(fields.bot);
  const [id, key] = [textOf(fields.id) ?? '', textOf(fields.verify_key)];
  const name = textOf(bot.username) ?? textOf(fields.name) ?? id;
  const keys = secretList(credentials.public_key);
  const readsMessages = (Number(fields.flags) & MESSAGE_CONTENT) !== 0;
  const warnings = [
    ...(keys.length === 0 && !readsMessages && hearsOf(credentials) === 'all'
      ? [
          'public_key is not set: every incoming webhook is refused; and Message Content Intent is off, which fetching messages needs unless the App hears mentions only',
        ]
      : []),
    ...(keys.length > 0 && key !== undefined && !keys.includes(key)
      ? ['public_key is not the one of this app: every incoming webhook is refused']
      : []),
    ...([undefined, id].includes(textOf(credentials.application_id))
      ? []
      : ['application_id is not the one of this app']),
  ];
  return {
    ok: true,
    user: name,
    account: { id: textOf(bot.id) ?? id, name, username: name, account: id },
    ...(warnings.length > 0 && { warnings }),
  };
}
