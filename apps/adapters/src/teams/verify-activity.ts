import {
  headerValue,
  type InboundCall,
  isJsonObject,
  type JwtKeys,
  parseJson,
  refuseWebhook,
  verifyJwt,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';

const ISSUER = 'https://api.botframework.com';
const CHANNEL = 'msteams';

/**
 * The token of an activity: for this bot, for the server that the activity says it comes from, and by a key that may sign
 * for Teams. It proves the sender, not the text. An Azure Bot has other channels too, as Web Chat, where whoever writes
 * chooses the sender's id: they prove nobody.
 * Source: Microsoft, Authentication from the Connector to your bot.
 */
export async function verifyActivity(
  { credentials, request, receivedAt }: InboundCall,
  keys: JwtKeys,
): Promise<VerifyWebhookResult> {
  const audience = textOf(credentials.app_id)?.trim();
  if (audience === undefined || audience === '') return refuseWebhook('not_configured', 'app_id is not set');
  const given = parseJson(request.text);
  const activity = isJsonObject(given) ? given : {};
  if (textOf(activity.channelId) !== CHANNEL) {
    return refuseWebhook('bad_signature', 'the activity came by another channel of the bot than Microsoft Teams');
  }
  return verifyJwt({
    authorization: headerValue(request.headers, 'authorization'),
    keys,
    issuer: ISSUER,
    audience,
    claims: { serviceurl: textOf(activity.serviceUrl) ?? '' },
    channel: CHANNEL,
    // Bot Framework's tokens say from when they are valid, not when they were issued.
    since: 'nbf',
    now: receivedAt,
  });
}
