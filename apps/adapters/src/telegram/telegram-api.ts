import {
  deliverFailure,
  type Credentials,
  type DeliverFailure,
  type JsonObject,
  type Self,
  callProvider,
  type MultipartForm,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { failureOfTelegramError } from './telegram-errors.js';

export const TELEGRAM_API_URL = 'https://api.telegram.org';
const TOKEN = /^(\d{1,20}):[A-Za-z0-9_-]{1,200}$/;

export interface TelegramSettings extends ProviderHttp {
  /** Without a trailing slash; may also be a Bot API server of one's own. */
  apiUrl: string;
}

/** One Bot API method: its result, also as the `list` that some give, or the failure. Source: https://core.telegram.org/bots/api#making-requests */
export async function callTelegram(
  method: string,
  content: { json: JsonObject } | { form: MultipartForm },
  credentials: Credentials,
  settings: TelegramSettings,
): Promise<{ ok: true; result: JsonObject; list: unknown } | DeliverFailure> {
  const token = botToken(credentials);
  if (token === undefined) return deliverFailure('auth_failed', 'no usable bot token is set');
  const answer = await callProvider(settings, {
    url: `${settings.apiUrl}/bot${token}/${method}`,
    ...('json' in content ? content : { multipart: content.form }),
  });
  if ('ok' in answer) return answer;
  const body = objectOf(answer.json);
  // Some methods answer true.
  if (body.ok === true && body.result !== undefined)
    return { ok: true, result: objectOf(body.result), list: body.result };
  return failureOfTelegramError(answer.status, body);
}

/** The bot token if it is well-formed: it becomes part of a URL. */
export function botToken(credentials: Credentials): string | undefined {
  const token = textOf(credentials.token);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** The bot's id, which is also the first part of its token. */
export function botId(credentials: Credentials, self: Self | undefined): string | undefined {
  return textOf(self?.id) ?? TOKEN.exec(textOf(credentials.token) ?? '')?.[1];
}
