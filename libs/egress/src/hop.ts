import type { Dispatcher } from 'undici';
import { bareHostname } from './allow-list.js';
import { EgressError } from './egress-error.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type EgressMethod = (typeof METHODS)[number];

/** One request to one origin; a call is one hop, plus one per redirect. */
export interface Hop {
  url: URL;
  method: EgressMethod;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

// They describe the connection, which is ours; a caller's Host could reach another site behind a public address.
const CONNECTION_HEADERS = new Set(
  'host connection keep-alive content-length transfer-encoding te trailer upgrade expect proxy-connection'.split(' '),
);
// Any header may carry a credential (X-Api-Key and many others), so this lists the ones that cannot.
const HEADERS_FOR_ANY_ORIGIN = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The first hop. Header names are lower-cased, and headers of the connection are removed. */
export function firstHop(url: string | URL, method: string, headers: Record<string, string>, body: Hop['body']): Hop {
  const known = METHODS.find((each) => each === method.toUpperCase());
  if (!known) throw new EgressError('invalid_request', `method ${JSON.stringify(method)} is not allowed`);
  const sent: Record<string, string> = {};
  for (const name in headers) {
    const lower = name.toLowerCase();
    const value = headers[name];
    if (value !== undefined && !CONNECTION_HEADERS.has(lower)) sent[lower] = value;
  }
  return { url: checkedUrl(url), method: known, headers: sent, body };
}

/**
 * The hop that a redirect requests (Fetch standard, HTTP-redirect fetch), or undefined when the response is not one.
 * Stricter than a browser: another origin gets only harmless headers and no body, and https never becomes http.
 */
export function redirectHop(hop: Hop, status: number, location: string | string[] | undefined): Hop | undefined {
  if (!REDIRECTS.has(status) || typeof location !== 'string') return undefined;
  const url = redirectUrl(hop.url, location);
  const toGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const next: Hop = { ...hop, url, ...(toGet ? { method: 'GET', body: undefined } : {}) };
  if (toGet) next.headers = pick(hop.headers, (name) => !name.startsWith('content-'));
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined) {
    throw new EgressError('blocked_redirect', 'redirect would send the body to another origin', true);
  }
  return { ...next, headers: pick(next.headers, (name) => HEADERS_FOR_ANY_ORIGIN.has(name)) };
}

function checkedUrl(input: string | URL, base?: URL): URL {
  const url = URL.parse(String(input), base?.href);
  if (!url) throw new EgressError('invalid_url', 'not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('blocked_scheme', `scheme ${url.protocol} is not allowed`);
  }
  if (url.username !== '' || url.password !== '')
    throw new EgressError('invalid_url', 'URL carries a user or password');
  if (bareHostname(url) === '') throw new EgressError('invalid_url', 'URL names no host');
  return url;
}

function redirectUrl(from: URL, location: string): URL {
  try {
    const url = checkedUrl(location, from);
    if (from.protocol === 'http:' || url.protocol === 'https:') return url;
  } catch (cause) {
    throw new EgressError('blocked_redirect', 'redirect to an address that is not allowed', true, { cause });
  }
  throw new EgressError('blocked_redirect', 'redirect from https to http', true);
}

function pick(headers: Record<string, string>, keep: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)));
}

/** The hop in undici's form. */
export function dispatchOptions(
  hop: Hop,
  limits: { headersMs: number; bodyIdleMs: number },
): Dispatcher.DispatchOptions {
  return {
    origin: hop.url.origin,
    path: hop.url.pathname + hop.url.search,
    method: hop.method,
    headers: hop.headers,
    body: hop.body ?? null,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyIdleMs,
  };
}
