import {
  deliverFailure,
  type Credentials,
  type DeliverFailure,
  callProvider,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { gmailFailure } from './gmail-failure.js';

export const GMAIL_API_URL = 'https://gmail.googleapis.com';

export interface GmailHttp extends ProviderHttp {
  /** Origin of the API. */
  apiUrl: string;
}

export interface GmailRequest {
  /** Below `/gmail/v1/users/me/`, encoded. */
  path: string;
  query?: readonly [string, string][] | undefined;
  json?: unknown;
  maxAnswerBytes?: number;
}

/** One call as the mailbox's owner: the JSON of a 2xx answer, or the failure. Source: Gmail API reference v1. */
export async function callGmail(
  credentials: Credentials,
  request: GmailRequest,
  http: GmailHttp,
): Promise<{ json: unknown } | DeliverFailure> {
  const { access_token: token } = credentials;
  if (typeof token !== 'string' || token === '') return deliverFailure('auth_failed', 'access_token is not set');
  if (!isHeaderSafe(token)) return deliverFailure('auth_failed', 'access_token cannot be sent in a header');
  const query = new URLSearchParams(request.query ?? []).toString();
  const answer = await callProvider(http, {
    url: `${http.apiUrl}/gmail/v1/users/me/${request.path}${query === '' ? '' : `?${query}`}`,
    headers: { authorization: `Bearer ${token}` },
    ...(request.json !== undefined && { json: request.json }),
    ...(request.maxAnswerBytes !== undefined && { maxAnswerBytes: request.maxAnswerBytes }),
  });
  if ('ok' in answer) return answer;
  return answer.status >= 200 && answer.status < 300 ? { json: answer.json } : gmailFailure(answer, new Date());
}
