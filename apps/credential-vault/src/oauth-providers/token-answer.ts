import { type ProviderError, providerError } from './provider-error.js';
import { at, type Quirks } from './quirks.js';

/** The raw answer of a token endpoint, as the journal stores it. */
export interface RawAnswer {
  status: number;
  contentType: string;
  /** Seconds, from `Retry-After`. */
  retryAfter: number | null;
  body: string;
}

/** The answer in the form of RFC 6749. `fields` is null when it is not an object. */
export interface TokenAnswer {
  status: number;
  fields: Record<string, unknown> | null;
  /** Of an answer without tokens. */
  error: ProviderError;
  /** The status was a 2xx. */
  inSuccess: boolean;
  retryAfter: number | null;
}

/**
 * Converts real providers' answers to the form of RFC 6749 section 5. It reads form bodies, accepts any 2xx as 200,
 * recognises errors inside a 200, lifts nested tokens, drops null and empty fields, fills in `token_type` and joins
 * scope lists.
 */
export function normalise(raw: RawAnswer, quirks: Quirks): TokenAnswer {
  const { retryAfter } = raw;
  const body = readBody(raw);
  const inSuccess = raw.status >= 200 && raw.status < 300;
  const error = providerError(raw.status, body);
  const rest = { error, inSuccess, retryAfter };
  // A 2xx that names an error is a 400.
  const failed = inSuccess && error.code !== null ? 400 : raw.status;
  if (!isObject(body)) return { status: failed, fields: null, ...rest };
  const inner = quirks.token_path ? at(body, quirks.token_path) : undefined;
  const fields = withoutEmpty({ ...body, ...(isObject(inner) ? inner : {}) });
  for (const name of ['access_token', 'refresh_token']) if (!isToken(fields[name])) delete fields[name];
  if (inSuccess && fields['access_token'] === undefined) return { status: failed, fields, ...rest };
  const scope = [fields['scope']].flat().filter((one) => typeof one === 'string');
  if (scope.length > 0) fields['scope'] = scope.join(' ');
  else delete fields['scope'];
  if (!/^(bearer|dpop)$/i.test(String(fields['token_type']))) fields['token_type'] = 'bearer';
  return { status: inSuccess ? 200 : raw.status, fields, ...rest };
}

/** Printable, so that it can be sent in a header. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);
}

/** `Retry-After` (RFC 9110) in seconds, given as seconds or as a date; at most a day. */
export function retryAfterSeconds(value: string | string[] | undefined, nowMs = Date.now()): number | null {
  const text = [value].flat()[0];
  if (!text) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.min(86_400, Math.max(0, Math.ceil(seconds))) : null;
}

/** @returns the text itself when it is neither JSON nor a form */
function readBody({ body: given, contentType }: RawAnswer): unknown {
  const body = given.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(body) as unknown;
  } catch {
    // Some providers send form bodies as text/html or text/plain.
    const isForm = /x-www-form-urlencoded/i.test(contentType) || /^[\w.~%+-]+=/.test(body);
    return isForm ? Object.fromEntries(new URLSearchParams(body)) : body;
  }
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
