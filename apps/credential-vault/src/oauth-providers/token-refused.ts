import { plain, type ProviderError } from './provider-error.js';
import type { Quirks } from './quirks.js';
import type { TokenAnswer } from './token-answer.js';

/**
 * How a token request failed: `grant`: the tokens are dead; `revoked`: dead, because someone withdrew them, as the
 * provider says; `client`: the provider does not accept the client, whoever's tokens are meant; `rejected`: it does not
 * accept something else that all requests of this credential have; `throttled`: retry when the provider says;
 * `transient`: retry later; `malformed`: a success that cannot be read; `unsent`: the request was never sent;
 * `unanswered`: it may have arrived, and no answer came.
 */
export type FailureClass =
  'grant' | 'revoked' | 'client' | 'rejected' | 'throttled' | 'transient' | 'malformed' | 'unsent' | 'unanswered';

/** A token request that gave no tokens. `code` is the provider's error code if it is well-formed; never its text. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  constructor(
    readonly failure: FailureClass,
    readonly code: string,
    /** Seconds that the provider asked us to wait. */
    readonly retryAfter: number | null = null,
    /** HTTP status of the answer, if there was one. */
    readonly status: number | null = null,
  ) {
    super(`token request failed: ${failure} (${code})`);
  }

  /** Classifies an answer without tokens (RFC 6749 section 5.2, and what real providers make of it). */
  static of(answer: TokenAnswer, quirks: Quirks): TokenRefused {
    const { status, error, retryAfter } = answer;
    return new TokenRefused(failureOf(answer, quirks), error.code ?? `http_${status}`, retryAfter, status);
  }
}

// In plain form: see `plain`.
const dead = new Set([
  'invalidgrant',
  'invalidrefreshtoken',
  'badrefreshtoken',
  'refreshtokenexpired',
  'refreshtokenrevoked',
  'expiredrefreshtoken',
  'invalidtoken',
  'tokenexpired',
  'expiredtoken',
  'tokeninvalid',
  'tokeninactive',
  'invalidcode',
  'invalidauth',
  'inactiveuser',
  'accountinactive',
  'interactionrequired',
  'loginrequired',
  'consentrequired',
]);
const passing = new Set([
  'temporarilyunavailable',
  'serviceunavailable',
  'unavailable',
  'servererror',
  'internalerror',
  'internalfailure',
  'internalservererror',
  'fatalerror',
  'backenderror',
  'requesttimeout',
  'timeout',
]);
const throttling = new Set([
  'slowdown',
  'ratelimit',
  'ratelimits',
  'ratelimited',
  'ratelimitexceeded',
  'ratelimitreached',
  'userratelimitexceeded',
  'toomanyrequests',
  'requestlimitexceeded',
  'throttled',
  'throttling',
  'throttlingexception',
  'quotaexceeded',
]);
/** The only codes that pause a client: all its requests would be refused alike (RFC 6749 section 5.2). */
const client = new Set(['invalidclient', 'unauthorizedclient']);
/** Providers' own codes for a wrong client id or secret. Perhaps only this credential has it wrong. */
const clientOfOne = new Set([
  'invalidclientid',
  'badclientid',
  'invalidclientsecret',
  'badclientsecret',
  'invalidclientcredentials',
  'incorrectclientcredentials',
  'deletedclient',
  'disabledclient',
]);
const tooMany = /too many|rate.?limit|limit (?:has been )?(?:reached|exceeded)|throttl/i;
const later =
  /temporar|unavailable|(?:try again|retry(?: your request)?) later|(?:unexpected|unknown|internal) (?:server )?error/i;

/** Whether words say that one thing is invalid, expired, revoked, used or unknown. */
const ofDead = (thing: string): RegExp =>
  new RegExp(
    `\\b(?:${thing})\\b['"]?(?: [\\w'"]+){0,4}? (?:invalid|inactive|expired|revoked|unknown|used|not (?:found|valid|active))\\b` +
      `|\\b(?:invalid|inactive|expired|revoked|unknown|bad|missing)\\b(?: [\\w'"]+){0,3}? (?:${thing})\\b`,
    'i',
  );
const saysGrantIsDead = ofDead('refresh[\\s_-]*token|authori[sz]ation[\\s_-]*(?:code|grant)');
const saysTokenIsDead = ofDead('(?:(?:refresh|access)[\\s_-]*)?token|grant|(?:authori[sz]ation[\\s_-]*)?code');
/** Words about what a client may do, not about its tokens. */
const saysAllowed = /grant[\s_-]*type|allowed|permitted|supported/i;

function failureOf({ status, error, retryAfter, inSuccess }: TokenAnswer, quirks: Quirks): FailureClass {
  const { words } = error;
  const code = plain(error.code ?? '');
  if (code === 'tokenrevoked' || isListed(quirks.revoked_errors, error)) return 'revoked';
  if (dead.has(code) || isListed(quirks.permanent_errors, error)) return 'grant';
  if (status === 429 || throttling.has(code)) return 'throttled';
  if (status >= 500 || status === 408 || status === 425 || passing.has(code)) return 'transient';
  // Some providers refuse a dead refresh token with the code of a refused client.
  if (client.has(code)) return saysGrantIsDead.test(words) && !saysAllowed.test(words) ? 'grant' : 'client';
  if (clientOfOne.has(code)) return 'rejected';
  // A redirect or a page of something in between, which the token endpoint did not answer.
  if (status < 300 && saysTokenIsDead.test(words)) return 'grant';
  if (status < 400) return status < 300 ? 'malformed' : 'transient';
  if (saysTokenIsDead.test(words)) return 'grant';
  if (retryAfter !== null || tooMany.test(words)) return 'throttled';
  if (later.test(words)) return 'transient';
  // A number inside a success, or another status without a code (of a proxy, a firewall), may mean anything.
  if (inSuccess && /^\d+$/.test(code)) return 'transient';
  return error.code !== null || status === 400 || status === 401 ? 'grant' : 'transient';
}

const isListed = (codes: string[] | undefined, { code }: ProviderError): boolean =>
  code !== null && codes !== undefined && codes.includes(code);
