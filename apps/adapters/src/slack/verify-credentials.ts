import { secretList, type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { callSlack, type SlackSettings } from './slack-api.js';

/** Asks `auth.test` whose token it is. By the ids in its answer the adapter later recognises its own messages. */
export async function verifyCredentials({ credentials }: VerifyCall, settings: SlackSettings): Promise<VerifyResult> {
  const answer = await callSlack('auth.test', { form: {} }, credentials, settings);
  if (!answer.ok) return refusedCredentials(answer);
  const { fields } = answer;
  const [id, name] = [textOf(fields.user_id) ?? '', textOf(fields.user) ?? ''];
  const [bot, team] = [textOf(fields.bot_id), textOf(fields.team_id)];
  const isSigned = secretList(credentials.signing_secret).length > 0;
  const app = textOf(credentials.app_token);
  const socket =
    app === undefined ? null : await callSlack('apps.connections.open', { form: {} }, { token: app }, settings);
  const warnings = [
    ...(isSigned || app !== undefined ? [] : ['signing_secret is not set: every incoming webhook is refused']),
    ...(socket && !socket.ok
      ? [`Socket Mode does not work: ${socket.error_detail?.provider_code ?? socket.error}`]
      : []),
    ...(bot === undefined ? ['this is not a bot token: messages are posted as a person'] : []),
  ];
  return {
    ok: true,
    user: name,
    account: {
      id,
      name,
      username: name,
      ...(bot !== undefined && { bot_id: bot }),
      ...(team !== undefined && { account: team }),
    },
    ...(warnings.length > 0 && { warnings }),
  };
}
