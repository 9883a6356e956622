import { type Egress, EgressError } from '#libs/egress';
import type { FetchLike } from '@modelcontextprotocol/client';
import { AsyncLocalStorage } from 'node:async_hooks';

export interface FetchLimits {
  /** Until the headers of an answer. */
  answerMs: number;
  /** Bytes of an answer to a request, and of a stream that stays open for notifications. */
  answerBytes: number;
  streamBytes: number;
  /** The longest silence inside an answer or a stream. */
  silenceMs: number;
}

/**
 * The request on whose behalf a fetch runs. An event stream that breaks a limit would otherwise only fall silent, and
 * its request wait for its time-out.
 */
export const onBehalfOf = new AsyncLocalStorage<AbortController>();

const withoutBody = new Set([204, 205, 304]);

/**
 * `fetch` for the MCP client over the guarded egress. Redirects come back as they are: the client follows those within
 * the origin alone.
 * @param headersFor what a request carries beside the client's own headers, by its URL
 */
export function guardedFetch(
  egress: Egress,
  limits: FetchLimits,
  headersFor: (url: URL) => Promise<Record<string, string>> = async () => ({}),
): FetchLike {
  return async (target, init = {}) => {
    const url = new URL(target);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(await headersFor(url)) };
    const method = init.method ?? 'GET';
    const request = onBehalfOf.getStore();
    const answer = await egress.open(url, {
      method,
      headers,
      ...(init.body === undefined || init.body === null ? {} : { body: bodyText(init.body) }),
      timeoutMs: limits.answerMs,
      maxResponseBytes: method === 'GET' ? limits.streamBytes : limits.answerBytes,
      bodyIdleMs: limits.silenceMs,
      ...signalOf(init, request),
    });
    const body = withoutBody.has(answer.status) ? null : answer.body.pipeThrough(tooLargeEnds(request));
    if (!body) await answer.body.cancel();
    return new Response(body, { status: answer.status, headers: headersOf(answer.headers) });
  };
}

/**
 * A request that was given up lets go of its connection too: the client itself only tells the server. What tells it is
 * not given up.
 */
function signalOf({ signal, body }: RequestInit, request: AbortController | undefined): { signal?: AbortSignal } {
  const tells = typeof body === 'string' && body.includes('"method":"notifications/');
  const signals = [...(signal ? [signal] : []), ...(request && !tells ? [request.signal] : [])];
  return signals.length > 0 ? { signal: AbortSignal.any(signals) } : {};
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new EgressError('invalid_request', 'only text is sent to MCP servers');
}

function headersOf(received: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) for (const one of [value].flat()) headers.append(name, one);
  return headers;
}

/** Passes a body on; when it fails for its size, so does the request that it answers. */
function tooLargeEnds(request: AbortController | undefined): ReadableWritablePair<Uint8Array, Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sink = new WritableStream<Uint8Array>({
    write: (chunk) => writer.write(chunk),
    close: () => writer.close(),
    abort: (reason: unknown) => {
      if (reason instanceof EgressError && reason.code === 'response_too_large') request?.abort(reason);
      return writer.abort(reason);
    },
  });
  return { readable, writable: sink };
}
