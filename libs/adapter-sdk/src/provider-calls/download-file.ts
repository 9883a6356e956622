import type { DeliverFailure } from '../delivery.js';
import type { HeaderMap } from '../header-lookup.js';
import { lostCall } from './lost-call.js';
import { isLostCall, type ProviderHttp } from './provider-http.js';
import { repeatedCall } from './repeated-call.js';

export interface Download {
  status: number;
  headers: HeaderMap;
  /** Null when it has more than `maxBytes`. */
  bytes: Buffer | null;
}

/** The bytes at a URL of a provider, whole or not at all. Redirects are not followed. */
export async function downloadFile(
  http: ProviderHttp,
  request: { url: string; headers?: Record<string, string>; maxBytes: number },
): Promise<Download | DeliverFailure> {
  try {
    const { url, headers, maxBytes } = request;
    const sent = { ...(headers && { headers }), maxResponseBytes: maxBytes, maxRedirects: 0 } as const;
    const answer = await repeatedCall(http, url, sent, true);
    return {
      status: answer.status,
      headers: answer.headers,
      bytes: answer.truncated ? null : Buffer.from(answer.body),
    };
  } catch (error) {
    if (isLostCall(error)) return lostCall(error);
    throw error;
  }
}
