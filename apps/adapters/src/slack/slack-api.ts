import {
  type Credentials,
  type DeliverFailure,
  deliverFailure,
  headerValue,
  isJsonObject,
  type JsonObject,
  parseRetryAfter,
  callProvider,
  type ProviderHttp,
  type ProviderRequest,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { textOf } from '../provider-calls/json-fields.js';
import { failureOfSlackError } from './slack-errors.js';

export const SLACK_API_URL = 'https://slack.com/api';

export interface SlackSettings extends ProviderHttp {
  /** Without a trailing slash. */
  apiUrl: string;
}

/**
 * One Web API method: the fields of its answer, or the failure for its error. Slack answers most refusals with status
 * 200 and a code.
 * Source: https://docs.slack.dev/apis/web-api
 */
export async function callSlack(
  method: string,
  content: Pick<ProviderRequest, 'json' | 'form'>,
  credentials: Credentials,
  settings: SlackSettings,
): Promise<{ ok: true; fields: JsonObject } | DeliverFailure> {
  const token = textOf(credentials.token) ?? textOf(credentials.access_token);
  if (token === undefined || !isHeaderSafe(token)) return deliverFailure('auth_failed', 'no usable bot token is set');
  const answer = await callProvider(settings, {
    url: `${settings.apiUrl}/${method}`,
    headers: { authorization: `Bearer ${token}` },
    ...content,
  });
  if ('ok' in answer) return answer;
  const { status, json } = answer;
  if (status === 200 && isJsonObject(json) && json.ok === true) return { ok: true, fields: json };
  const retryAfter = headerValue(answer.headers, 'retry-after');
  return failureOfSlackError({
    status,
    code: isJsonObject(json) ? textOf(json.error) : undefined,
    retryAfter: retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, new Date()),
  });
}
