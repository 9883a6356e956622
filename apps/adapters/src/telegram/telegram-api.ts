import {
  deliverFailure,
  isJsonObject,
  type Credentials,
  type DeliverFailure,
  type JsonObject,
} from '#libs/adapter-sdk';
import { callProvider, type ProviderHttp } from '../provider-calls/call-provider.js';
import { objectOf } from '../provider-calls/json-fields.js';
import type { MultipartForm } from '../provider-calls/multipart-form.js';
import { botToken } from './bot-identity.js';
import { failureOfTelegramError } from './telegram-errors.js';

export const TELEGRAM_API_URL = 'https://api.telegram.org';

export interface TelegramSettings extends ProviderHttp {
  /** Without a slash at the end; also a Bot API server of one's own. */
  apiUrl: string;
}

/** One Bot API method: its result, or the failure. Source: https://core.telegram.org/bots/api#making-requests */
export async function callTelegram(
  method: string,
  content: { json: JsonObject } | { form: MultipartForm },
  credentials: Credentials,
  settings: TelegramSettings,
): Promise<{ ok: true; result: JsonObject } | DeliverFailure> {
  const token = botToken(credentials);
  if (token === undefined) return deliverFailure('auth_failed', 'no usable bot token is set');
  const answer = await callProvider(settings, {
    url: `${settings.apiUrl}/bot${token}/${method}`,
    ...('json' in content ? content : { multipart: content.form }),
  });
  if ('ok' in answer) return answer;
  const body = objectOf(answer.json);
  if (body.ok === true && isJsonObject(body.result)) return { ok: true, result: body.result };
  return failureOfTelegramError(answer.status, body);
}
