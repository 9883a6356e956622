import {
  type Credentials,
  type DeliverFailure,
  deliverFailure,
  type JsonObject,
  callProvider,
  type ProviderHttp,
  type ProviderRequest,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { failureOfWhatsappError } from './whatsapp-errors.js';

export const WHATSAPP_API_URL = 'https://graph.facebook.com/v24.0';

export interface WhatsappSettings extends ProviderHttp {
  /** With the version, without a trailing slash. */
  apiUrl: string;
}

/** The path of the number's own resources, and its token; or why there is none. */
export function accountOf({
  token,
  phone_number_id: id,
}: Credentials): { token: string; number: string } | DeliverFailure {
  if (typeof token !== 'string' || !isHeaderSafe(token)) return deliverFailure('auth_failed', 'no usable token is set');
  const number = textOf(id);
  if (number === undefined || !/^\d{1,30}$/.test(number)) {
    return deliverFailure('auth_failed', 'phone_number_id must be the number that API Setup shows as Phone number ID');
  }
  return { token, number };
}

/** One call of the Graph API, below its version: the answer's fields, or the failure. */
export async function callWhatsapp(
  path: string,
  content: Pick<ProviderRequest, 'json' | 'multipart'>,
  token: string,
  settings: WhatsappSettings,
): Promise<{ ok: true; fields: JsonObject } | DeliverFailure> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await callProvider(settings, { url: `${settings.apiUrl}/${path}`, headers, ...content });
  if ('ok' in answer) return answer;
  const fields = objectOf(answer.json);
  if (answer.status === 200 && fields.error === undefined) return { ok: true, fields };
  return failureOfWhatsappError(answer, objectOf(fields.error));
}
