import {
  type AdapterDefinition,
  defineAdapter,
  PreparedScheme,
  secretList,
  verifyScheme,
  dialectFormat,
  type ProviderHttp,
  refusedCredentials,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { deliverMessage } from './deliver-message.js';
import { fetchFile } from './fetch-file.js';
import { indicate } from './indicate.js';
import { whatsappDialect } from './whatsapp-dialect.js';
import { parseWhatsappInbound } from './parse-inbound.js';
import { accountOf, callWhatsapp, WHATSAPP_API_URL, type WhatsappSettings } from './whatsapp-api.js';
import { WHATSAPP_MAX_LENGTH, whatsappManifest } from './whatsapp.manifest.js';

const scheme = new PreparedScheme({
  scheme: 'hmac',
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  secret_fields: ['signing_secret'],
});

/** WhatsApp by Meta's Cloud API. There is no look-up of sent messages, so a lost answer stays unknown. */
export function createWhatsappAdapter(http: ProviderHttp & Partial<WhatsappSettings>): AdapterDefinition {
  const settings = { apiUrl: WHATSAPP_API_URL, ...http };
  return defineAdapter({
    manifest: whatsappManifest,
    verify: async ({ credentials }) => {
      const account = accountOf(credentials);
      if ('ok' in account) return refusedCredentials(account);
      const path = `${account.number}?fields=display_phone_number,verified_name`;
      const answer = await callWhatsapp(path, {}, account.token, settings);
      if (!answer.ok) return refusedCredentials(answer);
      const name = textOf(answer.fields.verified_name) ?? '';
      const isDeaf = secretList(credentials.signing_secret).length === 0;
      return {
        ok: true,
        user: textOf(answer.fields.display_phone_number) ?? name,
        account: { id: account.number, name, account: account.number },
        ...(isDeaf && { warnings: ['signing_secret is not set: every incoming webhook is refused'] }),
      };
    },
    verifyWebhook: (call) => verifyScheme(scheme, call, 'meta-sha256'),
    parseInbound: parseWhatsappInbound,
    deliver: (call) => deliverMessage(call, settings),
    indicate: (call) => indicate(call, settings),
    fetchFile: (call) => fetchFile(call, settings),
    format: (request) => dialectFormat(request, whatsappDialect, WHATSAPP_MAX_LENGTH),
  });
}
