import { parseRetryAfter, type SourceFailure } from '#libs/adapter-sdk';
import type { EgressError } from '#libs/egress';
import { parseXml, textOf } from './s3-xml.js';

/** A failed call, with the store's own code if it gave one. */
export interface S3Failure extends SourceFailure {
  code?: string;
}

/** As a source says it. */
export function sourceFailureOf({ code: _code, ...failure }: S3Failure): SourceFailure {
  return failure;
}

/** Source: Amazon S3 API Reference, error responses. */
const BY_CODE: Record<string, SourceFailure['error']> = {
  NoSuchBucket: 'not_found',
  NoSuchKey: 'not_found',
  AllAccessDisabled: 'permission_denied',
  AccessDenied: 'permission_denied',
  AccountProblem: 'permission_denied',
  InvalidObjectState: 'permission_denied',
  InvalidAccessKeyId: 'auth_failed',
  SignatureDoesNotMatch: 'auth_failed',
  ExpiredToken: 'auth_failed',
  InvalidToken: 'auth_failed',
  TokenRefreshRequired: 'auth_failed',
  AuthorizationHeaderMalformed: 'auth_failed',
  PermanentRedirect: 'auth_failed',
  TemporaryRedirect: 'provider_unavailable',
  RequestTimeTooSkewed: 'provider_unavailable',
  SlowDown: 'rate_limited',
  RequestLimitExceeded: 'rate_limited',
};

/** More than an S3 error ever has. */
export const ERROR_BODY_BYTES = 16 * 1024;

/** The failure for an answer other than 200. Only the code of its body is used: the rest may echo the keys. */
export function failureOfStatus(status: number, body: Buffer, retryAfter: string | undefined): S3Failure {
  const xml = body.subarray(0, ERROR_BODY_BYTES).toString('utf8');
  const code = textOf(parseXml(xml), 'Code')?.slice(0, 100);
  const error = (code !== undefined ? BY_CODE[code] : undefined) ?? byStatus(status);
  const seconds = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, new Date());
  const wrongRegion = code === 'AuthorizationHeaderMalformed' || code === 'PermanentRedirect' || status === 301;
  return {
    ok: false,
    error,
    message: wrongRegion
      ? `the bucket is in another region: correct region or endpoint (${status})`
      : `the store answered ${status}${code !== undefined && /^[A-Za-z]+$/.test(code) ? ` ${code}` : ''}`,
    ...(code !== undefined && { code }),
    ...(seconds !== undefined && { retry_after: seconds }),
  };
}

function byStatus(status: number): SourceFailure['error'] {
  if (status === 401 || status === 301) return 'auth_failed';
  if (status === 403) return 'permission_denied';
  if (status === 404) return 'not_found';
  return status === 429 ? 'rate_limited' : 'provider_unavailable';
}

/** The failure of a call that gave no answer. A read has no effect, so it is always worth a retry. */
export function failureOfCall(error: EgressError): S3Failure {
  const closed = ['invalid_url', 'invalid_request', 'blocked_scheme', 'blocked_address'].includes(error.code);
  return {
    ok: false,
    error: closed ? 'permission_denied' : 'provider_unavailable',
    message: closed
      ? `the endpoint cannot be reached from here: ${error.code}`
      : `the store gave no answer: ${error.code}`,
    code: error.code,
  };
}
