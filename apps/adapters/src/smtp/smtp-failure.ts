import { deliverFailure, isJsonObject, type DeliverError, type DeliverFailure } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';

/** A failed step of an SMTP session, with the code of the server's reply if there was one; its text is not kept. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** Reply code, 400 to 599; undefined without a reply. */
  readonly reply: number | undefined;
  /** The server's certificate is not trusted, or it offers no login: a retry changes nothing. */
  readonly isSettled: boolean;
  /** Enhanced status code (RFC 3463), such as `5.7.1`. */
  readonly status: string | undefined;

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
  }
}

/** Enhanced codes say more than the reply code that they come with. Source: RFC 3463 and its registry. */
const BY_STATUS: readonly [RegExp, DeliverError][] = [
  [/^5\.1\.(?:0|1|2|3|10)$/, 'not_found'],
  [/^5\.1\.6$/, 'address_moved'],
  [/^5\.2\.1$/, 'not_found'],
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
  return deliverFailure(codeOf(step, reply, status), `the SMTP server answered ${status ?? reply} at ${step}`, {
    provider_status: reply,
    ...(status !== undefined && { provider_code: status }),
  });
}

function codeOf(step: SmtpFailure['step'], reply: number, status: string | undefined): DeliverError {
  if (step === 'login') return reply >= 500 ? 'auth_failed' : 'provider_unavailable';
  if (step === 'connect') return reply >= 500 ? 'permission_denied' : 'provider_unavailable';
  const told = BY_STATUS.find(([pattern]) => status !== undefined && pattern.test(status))?.[1];
  return told ?? BY_REPLY[reply] ?? (reply >= 500 ? 'invalid_request' : 'provider_unavailable');
}
