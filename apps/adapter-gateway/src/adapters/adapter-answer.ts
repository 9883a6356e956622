import { type EgressError, type EgressResponse } from '#libs/egress';
import { isJsonObject, type JsonObject, parseJson } from '#libs/adapter-sdk';
import { AdapterError } from './adapter-error.js';
import { readRetryAfter } from './retry-after.js';

/** Statuses that mean that nothing was done with the request. */
const notActedUpon = new Set([429, 503]);

/**
 * The JSON object that an adapter answered (spec 7).
 * @throws AdapterError `contract_violation`, naming the route
 */
export function jsonAnswer(answer: EgressResponse, path: string): JsonObject {
  if (!isJson(answer)) throw new AdapterError('contract_violation', `${path} did not answer application/json`, false);
  const value = parseJson(answer.body.toString('utf8'));
  if (isJsonObject(value)) return value;
  throw new AdapterError('contract_violation', `${path} did not answer a JSON object`, false);
}

function isJson(answer: EgressResponse): boolean {
  return /^application\/json\s*(;|$)/i.test(String(answer.headers['content-type'] ?? ''));
}

/** @throws AdapterError `provider_unavailable` unless the status is 2xx, with the adapter's `Retry-After` */
export function requireSuccess(answer: EgressResponse, path: string): void {
  const { status } = answer;
  if (status >= 200 && status <= 299) return;
  const notSent = status < 500 || notActedUpon.has(status);
  const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
  throw new AdapterError('provider_unavailable', `${path} answered ${status}`, notSent, retryAfterMs);
}

export function adapterErrorOf(error: EgressError, path: string): AdapterError {
  if (error.code === 'response_too_large') {
    return new AdapterError('contract_violation', `${path}: ${error.message}`, false);
  }
  const code = error.code === 'timeout' ? 'timeout' : 'provider_unavailable';
  return new AdapterError(code, `${path}: ${error.message}`, !error.sent);
}
