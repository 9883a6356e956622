import {
  type AdapterDefinition,
  defineAdapter,
  plainFormat,
  PreparedScheme,
  verifyScheme,
  type ProviderHttp,
  refusedCredentials,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { deliverMessage } from './deliver-message.js';
import { fetchFile } from './fetch-file.js';
import { parseTwilioInbound } from './parse-inbound.js';
import { accountOf, callTwilio, TWILIO_API_URL, type TwilioSettings } from './twilio-api.js';
import { TWILIO_MAX_LENGTH, twilioManifest } from './twilio.manifest.js';

/** https://www.twilio.com/docs/usage/webhooks/webhooks-security: over the public URL and the sorted fields. */
const scheme = new PreparedScheme({
  scheme: 'hmac',
  header: 'x-twilio-signature',
  prefix: '',
  algorithm: 'sha1',
  encoding: 'base64',
  signed_text: '{url}{params}',
  body_hash_query: 'bodySHA256',
  secret_fields: ['token'],
});

/** Text messages by Twilio. No look-up finds a message by the delivery's key, so a lost answer stays unknown. */
export function createTwilioAdapter(http: ProviderHttp & Partial<TwilioSettings>): AdapterDefinition {
  const settings = { apiUrl: TWILIO_API_URL, ...http };
  return defineAdapter({
    manifest: twilioManifest,
    verify: async ({ credentials }) => {
      const account = accountOf(credentials);
      if ('ok' in account) return refusedCredentials(account);
      const answer = await callTwilio('.json', undefined, account, settings);
      if (!answer.ok) return refusedCredentials(answer);
      const name = textOf(answer.fields.friendly_name) ?? account.sid;
      return { ok: true, user: name, account: { id: account.sid, name, account: account.sid } };
    },
    verifyWebhook: (call) => verifyScheme(scheme, call, 'twilio-sha1'),
    parseInbound: parseTwilioInbound,
    deliver: (call) => deliverMessage(call, settings),
    fetchFile: (call) => fetchFile(call, settings),
    format: (request) => plainFormat(request, TWILIO_MAX_LENGTH),
  });
}
