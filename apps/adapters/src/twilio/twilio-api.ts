import {
  type Credentials,
  type DeliverError,
  deliverErrorOfStatus,
  type DeliverFailure,
  deliverFailure,
  headerValue,
  type JsonObject,
  parseRetryAfter,
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

export const TWILIO_API_URL = 'https://api.twilio.com';

export interface TwilioSettings extends ProviderHttp {
  /** Without a trailing slash. */
  apiUrl: string;
}

export interface TwilioAccount {
  sid: string;
  authorization: string;
}

/** Twilio's codes by what they mean for a delivery. Source: https://www.twilio.com/docs/api/errors */
const CODES: readonly (readonly [DeliverError, readonly number[]])[] = [
  ['auth_failed', [20003, 20404]],
  ['permission_denied', [21408, 21610, 21606, 21608, 21612, 21659, 21660, 21704, 30007]],
  ['not_found', [21211, 21214, 21217, 21219, 21614, 21265]],
  ['too_large', [21617]],
  ['rate_limited', [20429, 14107, 30001, 30022]],
];

const WORDS: Readonly<Record<number, string>> = {
  21610: 'the person has opted out of messages from this number (STOP)',
  21408: 'the account may not send to this country',
  21608: 'a trial account sends only to numbers that were verified',
};

const DEFAULT_RETRY_AFTER_SECONDS = 30;

/** The account, whose SID becomes part of URLs; or why there is none. */
export function accountOf({ account_sid: sid, token }: Credentials): TwilioAccount | DeliverFailure {
  if (typeof sid !== 'string' || !/^AC[0-9A-Za-z]{1,64}$/.test(sid)) {
    return deliverFailure('auth_failed', 'account_sid must be the SID of an account: it starts with AC');
  }
  // A rotated token is a list: the newest sends.
  const [secret] = [token].flat();
  if (typeof secret !== 'string' || secret.trim() === '') return deliverFailure('auth_failed', 'no auth token is set');
  return { sid, authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}` };
}

/** One call below the account: the answer's fields, or the failure. */
export async function callTwilio(
  path: string,
  form: Record<string, string> | undefined,
  account: TwilioAccount,
  settings: TwilioSettings,
): Promise<{ ok: true; fields: JsonObject } | DeliverFailure> {
  const answer = await callProvider(settings, {
    url: `${settings.apiUrl}/2010-04-01/Accounts/${account.sid}${path}`,
    headers: { authorization: account.authorization },
    ...(form && { form }),
  });
  if ('ok' in answer) return answer;
  const isOk = answer.status >= 200 && answer.status < 300;
  return isOk ? { ok: true, fields: objectOf(answer.json) } : failureOfTwilioError(answer);
}

/** The message of the error is not repeated: it contains what was sent. */
function failureOfTwilioError(answer: ProviderAnswer): DeliverFailure {
  const code = Number(textOf(objectOf(answer.json).code) ?? Number.NaN);
  const known = CODES.find(([, codes]) => codes.includes(code));
  const error = known?.[0] ?? deliverErrorOfStatus(answer.status);
  const asked = headerValue(answer.headers, 'retry-after');
  const wait = asked === undefined ? undefined : parseRetryAfter(asked, new Date());
  return deliverFailure(error, WORDS[code] ?? `Twilio answered ${answer.status}`, {
    provider_status: answer.status,
    ...(!Number.isNaN(code) && { provider_code: String(code) }),
    ...(error === 'rate_limited' && { retry_after: wait ?? DEFAULT_RETRY_AFTER_SECONDS }),
    ...(error === 'provider_unavailable' && wait !== undefined && { retry_after: wait }),
  });
}
