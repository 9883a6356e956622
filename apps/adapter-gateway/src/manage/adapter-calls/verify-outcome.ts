import { type Credentials, isJsonObject, redactSecrets, type Self, wholeNumberAsText } from '#libs/adapter-sdk';
import { storableJson } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { disabledCode, notReadyCode } from '../../path/adapters/adapter-readiness.js';
import { busyCode, circuitOpenCode } from '../../path/adapters/call-limits.js';

/** `account`: whose the credentials are, at the provider. */
export interface VerifyAccepted {
  ok: true;
  user: string;
  account?: Self;
  warnings?: string[];
}

/** `auth_failed`: the credentials are refused. Any other code: nothing is known about them, since the call failed. */
export interface VerifyRefused {
  ok: false;
  code: string;
  /** The cause, for a person. */
  error: string;
}

export type VerifyOutcome = VerifyAccepted | VerifyRefused;

const maxWords = 500;
const maxWarnings = 20;

const refused = 'The provider does not accept the credentials';

/** What an adapter's own codes mean for a person. */
const adapterCodes: Record<string, string> = {
  auth_failed: refused,
  provider_unavailable: 'The provider did not give a valid answer, so the credentials could not be checked',
  rate_limited: 'The provider limits the rate of calls, so the credentials could not be checked',
  timeout: 'The provider did not answer in time, so the credentials could not be checked',
};

/** What a call without an answer means for a person. */
const failures: Record<string, string> = {
  provider_unavailable: 'The adapter did not give a valid answer, so the credentials could not be checked',
  timeout: 'The adapter did not answer in time, so the credentials could not be checked',
  contract_violation: 'The adapter broke its contract, so the credentials could not be checked',
  [notReadyCode]: 'The adapter is not ready and gets no call, so the credentials could not be checked',
  [disabledCode]: 'The adapter is disabled and gets no call, so the credentials could not be checked',
  [circuitOpenCode]:
    'The adapter failed five times in a row and is not called for some seconds: verify again after that',
  [busyCode]: 'The adapter already has as many calls as it may have at a time: verify again in a moment',
};

/** For `AdapterClient.post`: what is wrong with an answer of `/verify` (spec 4.1). */
export function wrongVerifyAnswer(answer: Record<string, unknown>): string | null {
  const { ok, user, account, error } = answer;
  if (typeof ok !== 'boolean') return 'ok is neither true nor false';
  if (!ok) return typeof error === 'string' && error !== '' ? null : 'ok is false and error is not a string';
  if (typeof wholeNumberAsText(user) !== 'string') return 'ok is true and user is not a string';
  return account === undefined || account === null || isJsonObject(account) ? null : 'account is not an object';
}

/**
 * Whether an answer with a status other than 2xx is a refusal of the contract all the same. A 5xx, like 429, says that the
 * call failed, whatever it is called: it says something about the credentials only by the code for that.
 * @param final a retry would give the same again
 */
export function isRefusalByStatus(answer: Record<string, unknown>, final: boolean): boolean {
  const { ok, error } = answer;
  return ok === false && wrongVerifyAnswer(answer) === null && (final || error === 'auth_failed');
}

/** The outcome of an answer that `wrongVerifyAnswer` lets pass, without the secrets that it may quote. */
export function verifyOutcome(answer: Record<string, unknown>, credentials: Credentials): VerifyOutcome {
  const { ok, user, account, warnings, error, message } = withoutUnstorable(answer);
  if (ok !== true) {
    const { code, words } = refusalOf(String(error), typeof message === 'string' ? message : '');
    return { ok: false, code, error: redactSecrets(words, credentials).slice(0, maxWords) };
  }
  const texts = Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : [];
  return {
    ok: true,
    user: String(wholeNumberAsText(user)),
    ...(isJsonObject(account) ? { account: withIdsAsTexts(account) } : {}),
    ...(texts.length > 0 ? { warnings: texts.slice(0, maxWarnings).map((one) => one.slice(0, maxWords)) } : {}),
  };
}

/** The outcome of a call that gave no answer. */
export function verifyFailure({ code, detail }: Problem): VerifyRefused {
  const known = [circuitOpenCode, busyCode].includes(code) ? '' : detail;
  return { ok: false, code, error: sentence(failures[code] ?? '', known).slice(0, maxWords) };
}

/**
 * The contract's `error` is free text: if it is no code of ours, it is the provider's refusal in the adapter's words.
 */
function refusalOf(error: string, message: string): { code: string; words: string } {
  const meaning = adapterCodes[error];
  if (meaning !== undefined) return { code: error, words: sentence(meaning, message) };
  return { code: 'auth_failed', words: sentence(refused, sentence(error, message)) };
}

function sentence(meaning: string, words: string): string {
  if (meaning === '' || words === '') return meaning + words;
  return `${meaning}: ${words}`;
}

/** Adapters compare them with the ids in messages, which are texts. */
function withIdsAsTexts(account: Self): Self {
  const ids = (['id', 'bot_id', 'account'] as const).flatMap((field) => {
    const value = wholeNumberAsText(account[field]);
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  return { ...account, ...Object.fromEntries(ids) };
}

/** Postgres takes neither U+0000 nor a lone surrogate, and the App's identity is stored there. */
function withoutUnstorable(answer: Record<string, unknown>): Record<string, unknown> {
  const value: unknown = JSON.parse(storableJson(answer));
  return isJsonObject(value) ? value : answer;
}
