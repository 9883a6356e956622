import { createHash } from 'node:crypto';
import {
  type Credentials,
  type DeliverFailure,
  deliverFailure,
  failureOfStatus,
  headerValue,
  type JsonObject,
  callProvider,
  type ProviderHttp,
  type ProviderRequest,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

export const TEAMS_LOGIN_URL = 'https://login.microsoftonline.com';
/** Keys of the tokens that Bot Framework signs its webhooks with. */
export const TEAMS_JWKS_URL = 'https://login.botframework.com/v1/.well-known/keys';
/** Where messages go that answer none: it leads to the region of the conversation. */
const SERVICE_URL = 'https://smba.trafficmanager.net/teams';
const SERVICE_HOSTS = /^(?:smba\.(?:[\w-]+\.)*trafficmanager\.net|(?:[\w-]+\.)*botframework\.com)$/;
const SCOPE = 'https://api.botframework.com/.default';
const SPARE_MS = 5 * 60_000;
const MAX_TOKENS = 500;

export interface TeamsSettings extends ProviderHttp {
  /** Issues the bot's tokens; without a trailing slash. */
  loginUrl: string;
  jwksUrl: string;
  /** Used for every message instead of what the activity names, for a server that speaks for Teams. */
  serviceUrl?: string;
}

/** Tokens of bots, to save each call a second one. They are lost with the process, which then asks again. */
const tokens = new Map<string, { token: string; expiresAtMs: number }>();

/**
 * Where an activity came from, if that is a server of Microsoft's: the bot's token goes there. Undefined for any other.
 */
export function serviceOf(given: string | undefined, { serviceUrl }: TeamsSettings): string | undefined {
  if (serviceUrl !== undefined) return serviceUrl;
  if (given === undefined) return SERVICE_URL;
  const url = URL.parse(given);
  const isTheirs =
    url?.protocol === 'https:' && SERVICE_HOSTS.test(url.hostname) && `${url.username}${url.port}` === '';
  return isTheirs ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : undefined;
}

/** One call of the Bot Connector, with the bot's token. */
export async function callTeams(
  url: string,
  request: Pick<ProviderRequest, 'method' | 'json'>,
  credentials: Credentials,
  settings: TeamsSettings,
): Promise<{ ok: true; fields: JsonObject } | DeliverFailure> {
  const token = await botToken(credentials, settings);
  if ('ok' in token) return token;
  const headers = { authorization: `Bearer ${token.token}` };
  const answer = await callProvider(settings, { url, headers, ...request });
  if ('ok' in answer) return answer;
  if (answer.status >= 200 && answer.status < 300) return { ok: true, fields: objectOf(answer.json) };
  const failure = failureOfStatus(answer.status, headerValue(answer.headers, 'retry-after'));
  // Revoked before its time.
  if (failure.error === 'auth_failed') forget(token.token);
  const code = textOf(objectOf(objectOf(answer.json).error).code);
  const detail = failure.error_detail;
  return detail && code !== undefined && /^\w{1,100}$/.test(code)
    ? { ...failure, error_detail: { ...detail, provider_code: code } }
    : failure;
}

/** The token that the bot sends with; one that is still valid is used again. */
export async function botToken(
  credentials: Credentials,
  settings: TeamsSettings,
): Promise<{ token: string } | DeliverFailure> {
  const { app_id, app_password, tenant_id } = credentials;
  const key = createHash('sha256')
    .update(JSON.stringify([settings.loginUrl, tenant_id, app_id, app_password]))
    .digest('hex');
  const known = tokens.get(key);
  if (known && known.expiresAtMs - SPARE_MS > Date.now()) return { token: known.token };
  const issued = await issueToken(credentials, settings);
  if ('ok' in issued) return issued;
  const [oldest] = tokens.keys();
  if (tokens.size >= MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
  tokens.set(key, issued);
  return { token: issued.token };
}

/** Asks for a new token. Source: Microsoft, Authentication with the Bot Connector API. */
export async function issueToken(
  { app_id, app_password, tenant_id }: Credentials,
  settings: TeamsSettings,
): Promise<{ token: string; expiresAtMs: number } | DeliverFailure> {
  const [id, tenant] = [textOf(app_id), textOf(tenant_id)];
  const [secret]: unknown[] = [app_password].flat();
  if (id === undefined || typeof secret !== 'string' || secret === '') {
    return deliverFailure('auth_failed', 'app_id and app_password must both be set');
  }
  if (tenant === undefined || !/^[\w.-]{1,200}$/.test(tenant)) {
    return deliverFailure('auth_failed', 'tenant_id must be the ID or a domain of a directory');
  }
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: SCOPE };
  const answer = await callProvider(settings, { url: `${settings.loginUrl}/${tenant}/oauth2/v2.0/token`, form });
  // Nothing was sent yet: a lost answer may be asked for again.
  if ('ok' in answer) return deliverFailure('provider_unavailable', 'Microsoft issued no token in time');
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    return deliverFailure('auth_failed', 'Microsoft issues no token for this app', { provider_status: answer.status });
  }
  const { access_token, expires_in } = objectOf(answer.json);
  const token = textOf(access_token);
  if (answer.status !== 200 || token === undefined || !isHeaderSafe(token)) {
    return deliverFailure('provider_unavailable', `Microsoft answered ${answer.status} without a token`);
  }
  return { token, expiresAtMs: Date.now() + (Number(expires_in) || 0) * 1_000 };
}

/** Microsoft takes it no more: the next call asks for a new one. */
export function forget(token: string): void {
  for (const [key, entry] of tokens) if (entry.token === token) tokens.delete(key);
}
