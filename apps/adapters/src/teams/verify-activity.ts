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

/**
 * The token of an activity: for this bot, and for the server that the activity says it comes from. It proves the sender,
 * not the text. Source: Microsoft, Authentication from the Connector to your bot.
 */
export async function verifyActivity(
  { credentials, request, receivedAt }: InboundCall,
  keys: JwtKeys,
): Promise<VerifyWebhookResult> {
  const audience = textOf(credentials.app_id)?.trim();
  if (audience === undefined || audience === '') return refuseWebhook('not_configured', 'app_id is not set');
  const activity = parseJson(request.text);
  const serviceUrl = isJsonObject(activity) ? textOf(activity.serviceUrl) : undefined;
  return verifyJwt({
    authorization: headerValue(request.headers, 'authorization'),
    keys,
    issuer: ISSUER,
    audience,
    claims: { serviceurl: serviceUrl ?? '' },
    // Bot Framework's tokens say from when they are valid, not when they were issued.
    since: 'nbf',
    now: receivedAt,
  });
}
