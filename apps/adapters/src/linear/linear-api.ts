import {
  type Credentials,
  type DeliverError,
  deliverErrorOfStatus,
  type DeliverFailure,
  deliverFailure,
  headerValue,
  type JsonObject,
  MAX_RETRY_AFTER_SECONDS,
  parseRetryAfter,
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

export const LINEAR_API_URL = 'https://api.linear.app';

export interface LinearSettings extends ProviderHttp {
  /** Without a trailing slash. */
  apiUrl: string;
}

interface Operation {
  name: string;
  query: string;
  variables?: JsonObject;
}

/** What `extensions.type` of an error means, in letters only: Linear writes it in several ways. */
const CODES: Readonly<Record<string, DeliverError>> = {
  authenticationerror: 'auth_failed',
  forbidden: 'permission_denied',
  featurenotaccessible: 'permission_denied',
  usagelimitexceeded: 'permission_denied',
  ratelimited: 'rate_limited',
  internalerror: 'provider_unavailable',
  networkerror: 'provider_unavailable',
  locktimeout: 'provider_unavailable',
  invalidinput: 'invalid_request',
};
const DEFAULT_RETRY_AFTER_SECONDS = 60;

/** One operation of the GraphQL API: its data, or why there is none. */
export async function callLinear(
  { name, query, variables = {} }: Operation,
  { token }: Credentials,
  settings: LinearSettings,
): Promise<{ ok: true; data: JsonObject } | DeliverFailure> {
  const secret = textOf(token)?.trim();
  if (secret === undefined || !isHeaderSafe(secret)) return deliverFailure('auth_failed', 'no usable API key is set');
  const answer = await callProvider(settings, {
    url: `${settings.apiUrl}/graphql`,
    headers: {
      // A personal key stands alone.
      authorization: secret.startsWith('lin_api_') ? secret : `Bearer ${secret}`,
      'x-apollo-operation-name': name,
    },
    json: { operationName: name, query, variables },
  });
  if ('ok' in answer) return answer;
  const { data, errors } = objectOf(answer.json);
  const isOk = answer.status >= 200 && answer.status < 300 && objectsOf(errors).length === 0;
  return isOk ? { ok: true, data: objectOf(data) } : failureOf(answer);
}

/** The message of the error is not repeated: it may contain what was sent. */
function failureOf(answer: ProviderAnswer): DeliverFailure {
  const [first] = objectsOf(objectOf(answer.json).errors);
  const { type, code } = objectOf(first?.extensions);
  const given = textOf(type) ?? textOf(code);
  const known = CODES[(given ?? '').toLowerCase().replaceAll(/[^a-z]/g, '')];
  const isOk = answer.status < 300;
  const error = isMissing(first)
    ? 'not_found'
    : (known ?? (isOk ? 'invalid_request' : deliverErrorOfStatus(answer.status)));
  const wait = waitOf(answer);
  return deliverFailure(
    error,
    `Linear answered ${answer.status}${given === undefined ? '' : ` (${given.slice(0, 50)})`}`,
    {
      provider_status: answer.status,
      ...(given !== undefined && { provider_code: given.slice(0, 50) }),
      ...(error === 'rate_limited' && { retry_after: wait ?? DEFAULT_RETRY_AFTER_SECONDS }),
      ...(error === 'provider_unavailable' && wait !== undefined && { retry_after: wait }),
    },
  );
}

/** An issue or a comment that does not exist has no code of its own. */
function isMissing(error: JsonObject | undefined): boolean {
  return /^(?:entity|issue|comment)\b.{0,40}\bnot found\b/i.test(textOf(error?.message) ?? '');
}

/** The reset of the rate limit is given in ms since the Unix epoch. */
function waitOf({ headers }: ProviderAnswer): number | undefined {
  const asked = headerValue(headers, 'retry-after');
  if (asked !== undefined) return parseRetryAfter(asked, new Date());
  const reset = Number(headerValue(headers, 'x-ratelimit-requests-reset') ?? Number.NaN);
  const seconds = Math.ceil((reset - Date.now()) / 1_000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}
