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
  retryAfter: number | null;
}

/**
 * Converts real providers' answers to the form of RFC 6749 section 5. It reads form bodies, accepts 201 as 200,
 * recognises errors inside a 200, lifts nested tokens, drops null and empty fields, fills in `token_type` and joins
 * scope lists.
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

/** `Retry-After` (RFC 9110) in seconds, given as seconds or as a date; at most a day. */
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
