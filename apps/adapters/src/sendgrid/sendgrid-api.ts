import {
  deliverFailure,
  type Credentials,
  type DeliverFailure,
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { sendgridFailure } from './sendgrid-failure.js';

export const SENDGRID_API_URL = 'https://api.sendgrid.com';
const SENDGRID_EU_API_URL = 'https://api.eu.sendgrid.com';

export interface SendgridHttp extends ProviderHttp {
  /** Origin of the API; with SendGrid's default, a record with `region: eu` uses the European one. */
  apiUrl: string;
}

/** One call with the record's key: a 2xx answer, or the failure. Source: SendGrid v3 API reference. */
export async function callSendgrid(
  credentials: Credentials,
  request: { path: string; json?: unknown },
  http: SendgridHttp,
): Promise<ProviderAnswer | DeliverFailure> {
  const { token, region } = credentials;
  if (typeof token !== 'string' || token === '') return deliverFailure('auth_failed', 'the API key is not set');
  if (!isHeaderSafe(token)) return deliverFailure('auth_failed', 'the API key cannot be sent in a header');
  const origin = region === 'eu' && http.apiUrl === SENDGRID_API_URL ? SENDGRID_EU_API_URL : http.apiUrl;
  const answer = await callProvider(http, {
    url: `${origin}/v3/${request.path}`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    ...(request.json !== undefined && { json: request.json }),
  });
  if ('ok' in answer) return answer;
  return answer.status >= 200 && answer.status < 300 ? answer : sendgridFailure(answer, new Date());
}
