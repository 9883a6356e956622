import {
  deliverFailure,
  isJsonObject,
  MAX_RETRY_AFTER_SECONDS,
  type DeliverError,
  type DeliverFailure,
} from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';

/** What greylisting servers ask for, where one does not say. */
const GREYLIST_WAIT_SECONDS = 300;
/** Daily limits end somewhere within a day: an hour costs few vain tries. */
const LIMIT_WAIT_SECONDS = 3_600;

/**
 * A failed step of an SMTP session, with the code of the server's reply if there was one. Of its text only what it says
 * about waiting is kept.
 */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** Reply code, 400 to 599; undefined without a reply. */
  readonly reply: number | undefined;
  /** The server's certificate is not trusted, or it offers no login: a retry changes nothing. */
  readonly isSettled: boolean;
  /** Enhanced status code (RFC 3463), such as `5.7.1`. */
  readonly status: string | undefined;
  readonly isGreylisted: boolean;
  /** Seconds after which the server wants the mail again. */
  readonly wait: number | undefined;

  constructor(
    readonly step: 'connect' | 'login' | 'send' | 'unencrypted',
    cause: unknown,
  ) {
    super(`the SMTP session failed at ${step}`, { cause });
    const fields = isJsonObject(cause) ? cause : {};
    this.reply = typeof fields.responseCode === 'number' ? fields.responseCode : undefined;
    const original = typeof fields.originalCode === 'string' ? fields.originalCode : '';
    this.isSettled = this.reply === undefined && (fields.code === 'EAUTH' || /CERT|VERIFY/.test(original));
    const response = typeof fields.response === 'string' ? fields.response.slice(0, 200) : '';
    this.status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
    this.isGreylisted = response.startsWith('4') && /gr[ae]y-?list/i.test(response);
    this.wait = waitIn(response, this.isGreylisted, this.status);
  }
}

/** Only of temporary refusals, and of limits that servers refuse as if they were permanent (Gmail: `550 5.4.5`). */
function waitIn(response: string, isGreylisted: boolean, status: string | undefined): number | undefined {
  const isLimit = status !== undefined && SENDING_LIMIT.test(status);
  if (!response.startsWith('4') && !isLimit) return undefined;
  const [, hours, minutes, seconds] = /\b(\d{2}):(\d{2}):(\d{2})\b/.exec(response) ?? [];
  const [, count, unit] = /\b(\d{1,5}) ?(s|m|h)(?:ec|in|our|r)?/i.exec(response) ?? [];
  const announcedSeconds =
    seconds !== undefined
      ? Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
      : Number(count) * ({ s: 1, m: 60, h: 3_600 }[unit?.toLowerCase() ?? ''] ?? Number.NaN);
  if (announcedSeconds > 0) return Math.min(announcedSeconds, MAX_RETRY_AFTER_SECONDS);
  if (isGreylisted) return GREYLIST_WAIT_SECONDS;
  return isLimit ? LIMIT_WAIT_SECONDS : undefined;
}

/** Of the account that sends. Source: RFC 3463 X.4.5, as Gmail and others use it. */
const SENDING_LIMIT = /^[45]\.4\.5$/;
const FULL_MAILBOX = /^[45]\.2\.2$/;

/** Enhanced codes say more than the reply code that they come with. Source: RFC 3463 and its registry. */
const BY_STATUS: readonly [RegExp, DeliverError][] = [
  [/^5\.1\.(?:0|1|2|3|10)$/, 'not_found'],
  [/^5\.1\.6$/, 'address_moved'],
  [/^5\.2\.1$/, 'not_found'],
  // Nothing is wrong with the address, and a shorter text would not fit either.
  [/^4\.2\.2$/, 'provider_unavailable'],
  [/^5\.2\.2$/, 'permission_denied'],
  [SENDING_LIMIT, 'rate_limited'],
  [/^5\.(?:2\.3|3\.4)$/, 'too_large'],
  [/^5\.7\.(?:8|9|11|14)$/, 'auth_failed'],
  [/^5\.7\./, 'permission_denied'],
  [/^4\.(?:7|5\.3)/, 'rate_limited'],
];

const BY_REPLY: Record<number, DeliverError> = {
  421: 'provider_unavailable',
  450: 'provider_unavailable',
  451: 'provider_unavailable',
  452: 'rate_limited',
  530: 'auth_failed',
  534: 'auth_failed',
  535: 'auth_failed',
  538: 'auth_failed',
  550: 'not_found',
  551: 'address_moved',
  552: 'too_large',
  553: 'not_found',
};

/**
 * The failure of a delivery. A connection that breaks while a mail is handed over is `timeout`: it may have arrived.
 */
export function deliveryFailureOf(error: SmtpFailure | EgressError): DeliverFailure {
  if (error instanceof EgressError) {
    return error.code === 'invalid_url' || error.code === 'blocked_address'
      ? deliverFailure('auth_failed', `the SMTP host cannot be reached from here: ${error.code}`)
      : deliverFailure('provider_unavailable', `the SMTP server cannot be reached: ${error.code}`);
  }
  if (error.step === 'unencrypted') {
    return deliverFailure(
      'auth_failed',
      'a password is not sent without encryption: set encryption to tls or starttls',
    );
  }
  const { reply, status, step } = error;
  if (error.isSettled) {
    const what =
      step === 'login' ? 'the server offers no supported login method' : "the server's certificate is not trusted";
    return deliverFailure('auth_failed', `${what}: check host, port and encryption`);
  }
  if (reply === undefined) {
    return step === 'send'
      ? deliverFailure('timeout', 'the connection ended before the server accepted the mail')
      : deliverFailure('provider_unavailable', `the SMTP session failed at ${step}`);
  }
  const answered = `the SMTP server answered ${status ?? reply} at ${step}`;
  const words = wordsOf(error);
  return deliverFailure(codeOf(step, reply, status), words === undefined ? answered : `${words}: ${answered}`, {
    provider_status: reply,
    ...(status !== undefined && { provider_code: status }),
    ...(error.wait !== undefined && { retry_after: error.wait }),
  });
}

/** What people have to know, since the code alone does not say it. */
function wordsOf({ status = '', isGreylisted, step }: SmtpFailure): string | undefined {
  if (isGreylisted) return 'the server takes mail of senders that it does not know yet only after a wait (greylisting)';
  if (step === 'login') return undefined;
  if (FULL_MAILBOX.test(status)) return "the recipient's mailbox is full";
  return SENDING_LIMIT.test(status) ? 'the account has reached its sending limit' : undefined;
}

function codeOf(step: SmtpFailure['step'], reply: number, status: string | undefined): DeliverError {
  if (step === 'login') return reply >= 500 ? 'auth_failed' : 'provider_unavailable';
  if (step === 'connect') return reply >= 500 ? 'permission_denied' : 'provider_unavailable';
  const codeOfStatus = BY_STATUS.find(([pattern]) => status !== undefined && pattern.test(status))?.[1];
  return codeOfStatus ?? BY_REPLY[reply] ?? (reply >= 500 ? 'invalid_request' : 'provider_unavailable');
}
