import {
  type AdapterDefinition,
  defineAdapter,
  dialectFormat,
  type ProviderHttp,
  refusedCredentials,
} from '#libs/adapter-sdk';
import { providerKeys } from '../provider-calls/provider-keys.js';
import { textOf } from '../provider-calls/json-fields.js';
import { deliverMessage, indicate } from './deliver-message.js';
import { fetchFile } from './fetch-file.js';
import { teamsDialect } from './teams-dialect.js';
import { parseTeamsInbound } from './parse-inbound.js';
import { issueToken, TEAMS_JWKS_URL, TEAMS_LOGIN_URL, type TeamsSettings } from './teams-api.js';
import { TEAMS_MAX_LENGTH, teamsManifest } from './teams.manifest.js';
import { verifyActivity } from './verify-activity.js';

/** A Microsoft Teams bot by Bot Framework. There is no look-up of sent messages, so a lost answer stays unknown. */
export function createTeamsAdapter(http: ProviderHttp & Partial<TeamsSettings>): AdapterDefinition {
  const settings = { loginUrl: TEAMS_LOGIN_URL, jwksUrl: TEAMS_JWKS_URL, ...http };
  const keys = providerKeys(settings.jwksUrl, http);
  return defineAdapter({
    manifest: teamsManifest,
    verify: async ({ credentials }) => {
      const token = await issueToken(credentials, settings);
      if ('ok' in token) return refusedCredentials(token);
      const id = textOf(credentials.app_id)?.trim() ?? '';
      const tenant = textOf(credentials.tenant_id) ?? '';
      return { ok: true, user: id, account: { id: `28:${id}`, account: tenant } };
    },
    verifyWebhook: (call) => verifyActivity(call, keys),
    parseInbound: parseTeamsInbound,
    fetchFile: (call) => fetchFile(call, settings),
    deliver: (call) => deliverMessage(call, settings),
    indicate: (call) => indicate(call, settings),
    format: (request) => dialectFormat(request, teamsDialect, TEAMS_MAX_LENGTH),
  });
}
