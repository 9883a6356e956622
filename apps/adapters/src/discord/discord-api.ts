import {
  type Credentials,
  type DeliverError,
  deliverErrorOfStatus,
  type DeliverFailure,
  deliverFailure,
  headerValue,
  type JsonObject,
  MAX_RETRY_AFTER_SECONDS,
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
  type ProviderRequest,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

export const DISCORD_API_URL = 'https://discord.com/api/v10';

export interface DiscordSettings extends ProviderHttp {
  /** With the version, without a trailing slash. */
  apiUrl: string;
}

export type DiscordAnswer = { ok: true; fields: JsonObject } | DeliverFailure;
export type DiscordRequest = Pick<ProviderRequest, 'method' | 'json' | 'multipart'>;

/** Discord's codes that say more than the status. Source: Discord, Opcodes and Status Codes, JSON. */
const CODES: readonly (readonly [DeliverError, readonly number[]])[] = [
  ['not_found', [10003, 10008, 10013, 10015, 50027]],
  ['permission_denied', [50001, 50005, 50007, 50013, 50083]],
  ['too_large', [40005]],
  ['unsupported', [10014]],
];

const DEFAULT_RETRY_AFTER_SECONDS = 5;
// Discord refuses calls without one in this form.
const USER_AGENT = 'DiscordBot (gatehouse, 1.0)';

/** One call with the bot's token. */
export async function callDiscord(
  path: string,
  request: DiscordRequest,
  { token }: Credentials,
  settings: DiscordSettings,
): Promise<DiscordAnswer> {
  if (typeof token !== 'string' || !isHeaderSafe(token)) return deliverFailure('auth_failed', 'no usable token is set');
  return call(path, request, { authorization: `Bot ${token}` }, settings);
}

/** One call about an interaction: its own token is in the path, and is valid for 15 minutes. */
export function callInteraction(
  path: string,
  request: DiscordRequest,
  settings: DiscordSettings,
): Promise<DiscordAnswer> {
  return call(path, request, {}, settings);
}

async function call(
  path: string,
  request: DiscordRequest,
  headers: Record<string, string>,
  settings: DiscordSettings,
): Promise<DiscordAnswer> {
  const answer = await callProvider(settings, {
    url: settings.apiUrl + path,
    headers: { 'user-agent': USER_AGENT, ...headers },
    ...request,
  });
  if ('ok' in answer) return answer;
  const isOk = answer.status >= 200 && answer.status < 300;
  return isOk ? { ok: true, fields: objectOf(answer.json) } : failureOfDiscordError(answer);
}

function failureOfDiscordError(answer: ProviderAnswer): DeliverFailure {
  const { code, retry_after: asked } = objectOf(answer.json);
  const known = CODES.find(([, codes]) => typeof code === 'number' && codes.includes(code));
  const error = known?.[0] ?? deliverErrorOfStatus(answer.status);
  const wait = typeof asked === 'number' ? asked : Number(headerValue(answer.headers, 'retry-after') ?? Number.NaN);
  const seconds = Number.isFinite(wait) && wait >= 0 ? Math.min(wait, MAX_RETRY_AFTER_SECONDS) : undefined;
  return deliverFailure(error, `Discord answered ${answer.status}`, {
    provider_status: answer.status,
    ...(textOf(code) !== undefined && { provider_code: textOf(code) }),
    ...(error === 'rate_limited' && { retry_after: seconds ?? DEFAULT_RETRY_AFTER_SECONDS }),
    ...(error === 'provider_unavailable' && seconds !== undefined && { retry_after: seconds }),
  });
}
