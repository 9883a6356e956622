import type { HeaderMap } from '../header-lookup.js';

export interface ProviderHttp {
  fetch: ProviderFetch;
  /** For one call with all its attempts, from connecting to the end of the answer. */
  timeoutMs: number;
  /** Attempts after the first, for calls that may be repeated. Default 1. */
  retries?: number;
}

/** How a request goes out. Anything but an answer is thrown as a `LostCall`. */
export type ProviderFetch = (url: string, request: FetchRequest) => Promise<FetchedAnswer>;

export interface FetchRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs?: number;
  maxResponseBytes?: number;
  /** What becomes of a longer answer: cut off and marked (default), or a `LostCall`. */
  onTooLarge?: 'truncate' | 'fail';
  /** Redirects are answers: a credential must not follow one. */
  maxRedirects?: 0;
}

export interface FetchedAnswer {
  status: number;
  headers: HeaderMap;
  body: Uint8Array;
  truncated: boolean;
}

/** A call without an answer. */
export interface LostCall extends Error {
  code: string;
  /** Whether the server may have seen the request: false means that another attempt cannot double an effect. */
  sent: boolean;
}

export function isLostCall(error: unknown): error is LostCall {
  return error instanceof Error && 'code' in error && 'sent' in error && typeof error.sent === 'boolean';
}
