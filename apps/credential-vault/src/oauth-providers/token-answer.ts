import { at, type Quirks } from './quirks.js';

/** An answer of a token endpoint as it came: what the journal keeps. */
export interface RawAnswer {
  status: number;
  contentType: string;
  /** Seconds, from `Retry-After`. */
  retryAfter: number | null;
  body: string;
}

/** The same answer as RFC 6749 would have it. `fields` is null when it is no object at all. */
export interface TokenAnswer {
  status: number;
  fields: Record<string, unknown> | null;
  retryAfter: number | null;
}

/**
 * Turns what providers really answer into what RFC 6749 section 5 says: form bodies read, 201 taken as 200, errors inside a
 * 200 taken out of it, nested tokens lifted, null and empty fields dropped, `token_type` filled in, scope lists joined.
 */
export function normalise(raw: RawAnswer, quirks: Quirks): TokenAnswer {
  const { retryAfter } = raw;
  const whole = readBody(raw);
  if (!whole) return { status: raw.status, fields: null, retryAfter };
  const inner = quirks.token_path ? at(whole, quirks.token_path) : undefined;
  const fields = withoutEmpty({ ...whole, ...(isObject(inner) ? inner : {}) });
  const failed = fields['access_token'] === undefined && typeof fields['error'] === 'string';
  if (raw.status >= 200 && raw.status < 300 && failed) return { status: 400, fields, retryAfter };
  if (Array.isArray(fields['scope'])) fields['scope'] = fields['scope'].join(' ');
  if (!/^(bearer|dpop)$/i.test(String(fields['token_type']))) fields['token_type'] = 'bearer';
  return { status: raw.status === 201 ? 200 : raw.status, fields, retryAfter };
}

/** `Retry-After` (RFC 9110) in seconds, whether it came as seconds or as a date; bounded to a day. */
export function retryAfterSeconds(value: string | string[] | undefined, nowMs = Date.now()): number | null {
  const text = [value].flat()[0];
  if (!text) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.min(86_400, Math.max(0, Math.ceil(seconds))) : null;
}

function readBody({ body, contentType }: RawAnswer): Record<string, unknown> | null {
  if (/x-www-form-urlencoded/i.test(contentType)) return Object.fromEntries(new URLSearchParams(body));
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed : null;
  } catch {
    // Some providers send form bodies as text/html or text/plain.
    return /^[\w.~%+-]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : null;
  }
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
