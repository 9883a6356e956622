import type { FetchedAnswer, FetchRequest, LostCall, ProviderFetch } from './provider-http.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
/** Before these, nothing has left. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

class Lost extends Error implements LostCall {
  override readonly name = 'LostCall';

  constructor(
    readonly code: string,
    readonly sent: boolean,
  ) {
    super(`the call had no answer: ${code}`);
  }
}

/** The `fetch` of Node as a `ProviderFetch`: time-out and size are bounded, redirects are answers. */
export function providerFetch(fetchOnce: typeof globalThis.fetch): ProviderFetch {
  return (url, request) => fetchBounded(fetchOnce, url, request);
}

async function fetchBounded(
  fetchOnce: typeof globalThis.fetch,
  url: string,
  request: FetchRequest,
): Promise<FetchedAnswer> {
  const { method, headers, body, timeoutMs = DEFAULT_TIMEOUT_MS, maxResponseBytes = DEFAULT_MAX_BYTES } = request;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetchOnce(url, {
      ...(method && { method }),
      ...(headers && { headers }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      redirect: 'manual',
      signal,
    });
    const read = await bytesOf(answer, maxResponseBytes);
    if (read.truncated && request.onTooLarge === 'fail') throw new Lost('response_too_large', true);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), ...read };
  } catch (error) {
    if (error instanceof Lost) throw error;
    if (signal.aborted) throw new Lost('timeout', true);
    const code = codeOf(error);
    throw NOT_SENT.has(code) ? new Lost('connect_failed', false) : new Lost('response_failed', true);
  }
}

async function bytesOf(answer: Response, limit: number): Promise<{ body: Uint8Array; truncated: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length > limit) return { body: Buffer.concat(pieces).subarray(0, limit), truncated: true };
  }
  return { body: Buffer.concat(pieces), truncated: false };
}

/** The system's or undici's code, which stands on the cause. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : '';
}
