import type { DeliverFailure, HeaderMap } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import type { ProviderHttp } from './call-provider.js';
import { lostCall } from './lost-call.js';

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
    const answer = await http.fetch(url, {
      ...(headers && { headers }),
      timeoutMs: http.timeoutMs,
      maxResponseBytes: maxBytes,
      maxRedirects: 0,
    });
    return {
      status: answer.status,
      headers: answer.headers,
      bytes: answer.truncated ? null : Buffer.from(answer.body),
    };
  } catch (error) {
    if (error instanceof EgressError) return lostCall(error);
    throw error;
  }
}
