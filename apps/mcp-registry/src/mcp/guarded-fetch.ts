import { type Egress, EgressError } from '#libs/egress';
import type { FetchLike } from '@modelcontextprotocol/client';
import { AsyncLocalStorage } from 'node:async_hooks';
import { noAuth, type RequestAuth } from '../credentials/server-credentials.js';

export interface FetchLimits {
  /** Until the headers of the answer arrive. */
  answerMs: number;
  /** Bytes of an answer to a request, and of a notification stream. */
  answerBytes: number;
  streamBytes: number;
  /** The longest silence within an answer or a stream. */
  silenceMs: number;
}

/**
 * The request that a fetch belongs to. Without it, an event stream that exceeds a limit would fall silent and its
 * request would wait for its timeout.
 */
export const onBehalfOf = new AsyncLocalStorage<AbortController>();

const withoutBody = new Set([204, 205, 304]);

/**
 * `fetch` for the MCP client, through the guarded egress. Redirects are returned as they are: the client follows only
 * those within the same origin. A 401 says that nothing was done: if the access token can be replaced, the same request
 * is made once more.
 * @param authFor by the request's URL
 */
export function guardedFetch(
  egress: Egress,
  limits: FetchLimits,
  authFor: (url: URL) => Promise<RequestAuth> = async () => noAuth,
): FetchLike {
  return async (target, init = {}) => {
    const url = new URL(target);
    const method = init.method ?? 'GET';
    const request = onBehalfOf.getStore();
    const send = ({ headers }: RequestAuth) =>
      egress.open(url, {
        method,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
        ...(init.body === undefined || init.body === null ? {} : { body: bodyText(init.body) }),
        timeoutMs: limits.answerMs,
        maxResponseBytes: method === 'GET' ? limits.streamBytes : limits.answerBytes,
        bodyIdleMs: limits.silenceMs,
        ...signalOf(init, request),
      });
    const auth = await authFor(url);
    const sent = [auth];
    let answer = await send(auth);
    if (answer.status === 401 && (await auth.replaceRefused())) {
      await answer.body.cancel();
      const replaced = await authFor(url);
      sent.push(replaced);
      answer = await send(replaced);
    }
    const body = withoutBody.has(answer.status) ? null : answer.body.pipeThrough(tooLargeEnds(request));
    if (!body) await answer.body.cancel();
    const response = new Response(body, { status: answer.status, headers: headersOf(answer.headers) });
    const secrets = sent.flatMap(({ headers }) => Object.values(headers));
    return response.ok || !body ? response : withoutSecrets(response, secrets);
  };
}

/** A refusal may repeat what it refuses, and its words go to people. */
async function withoutSecrets(response: Response, values: string[]): Promise<Response> {
  const secrets = values.flatMap((value) => [value, ...value.split(' ').slice(1)]).filter((each) => each.length > 3);
  if (secrets.length === 0) return response;
  const text = await response.text();
  const hidden = secrets.reduce((censored, secret) => censored.replaceAll(secret, '[credential]'), text);
  return new Response(hidden, { status: response.status, headers: response.headers });
}

/**
 * Aborts the connection of a cancelled request as well: the client itself only notifies the server. The notification is
 * not aborted.
 */
function signalOf({ signal, body }: RequestInit, request: AbortController | undefined): { signal?: AbortSignal } {
  const notifies = typeof body === 'string' && body.includes('"method":"notifications/');
  const signals = [...(signal ? [signal] : []), ...(request && !notifies ? [request.signal] : [])];
  return signals.length > 0 ? { signal: AbortSignal.any(signals) } : {};
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new EgressError('invalid_request', 'only text can be sent to MCP servers');
}

function headersOf(received: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) for (const one of [value].flat()) headers.append(name, one);
  return headers;
}

/** Passes a body on. If it exceeds the size limit, the request that it answers fails too. */
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
