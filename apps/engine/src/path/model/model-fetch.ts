import { createEgress, type Egress, EgressError } from '#libs/egress';
import { ModelError } from './model.js';

export type Fetch = typeof globalThis.fetch;

/** An egress guard for models: they are silent for as long as they think, also within an answer. */
export function modelEgress(
  allow: readonly string[],
  { MODEL_TIMEOUT_MS: bodyIdleMs }: { MODEL_TIMEOUT_MS: number },
): Egress {
  return createEgress({ allow, timeouts: { bodyIdleMs } });
}

const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * A fetch for the packages of the AI SDK that goes through the egress guard and reads the whole answer. One of more
 * than `maxBytes` fails.
 */
export function modelFetch(egress: Egress, { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    try {
      const { status, headers, body, truncated } = await egress.fetch(url, {
        method: init?.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(init?.body === undefined || init.body === null ? {} : { body: bodyOf(init.body) }),
        // The caller's own time-out comes first and has the better words.
        timeoutMs: timeoutMs + 1_000,
        maxResponseBytes: maxBytes,
        ...(init?.signal ? { signal: init.signal } : {}),
      });
      const known = knownStatus(status);
      const response = new Response(bodiless.has(known) ? null : new Uint8Array(body), {
        status: known,
        headers: namedHeaders(headers),
      });
      if (truncated) cut.add(response);
      return response;
    } catch (error) {
      if (error instanceof EgressError && error.code !== 'aborted') throw unreached(error);
      throw error;
    }
  };
}

/**
 * As `modelFetch`, for answers that are read while they arrive: it resolves with their headers. The caller's own limit
 * of silence comes before these.
 */
export function modelStream(egress: Egress, { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number }): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    try {
      const { status, headers, body } = await egress.open(url, {
        method: init?.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(init?.body === undefined || init.body === null ? {} : { body: bodyOf(init.body) }),
        timeoutMs: timeoutMs + 1_000,
        bodyIdleMs: timeoutMs + 1_000,
        maxResponseBytes: maxBytes,
        ...(init?.signal ? { signal: init.signal } : {}),
      });
      const known = knownStatus(status);
      return new Response(bodiless.has(known) ? null : classified(body, maxBytes), {
        status: known,
        headers: namedHeaders(headers),
      });
    } catch (error) {
      throw error instanceof EgressError && error.code !== 'aborted' ? unreached(error) : error;
    }
  };
}

/** A body whose failures are those of a model. */
function classified(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(
            error instanceof EgressError && error.code === 'response_too_large'
              ? new ModelError('model_malformed', tooLargeWords(maxBytes), { cause: error })
              : error instanceof EgressError && error.code !== 'aborted'
                ? unreached(error)
                : error,
          );
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Read on demand, so that the server is slowed down and not this process filled.
    { highWaterMark: 0 },
  );
}

export function tooLargeWords(maxBytes: number): string {
  return `it has over ${maxBytes} bytes`;
}

/** Responses of which only the beginning was read. */
const cut = new WeakSet<Response>();
export const wasCut = (response: Response): boolean => cut.has(response);

function knownStatus(status: number): number {
  return status >= 200 && status <= 599 ? status : 502;
}

function namedHeaders(headers: Record<string, string | string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as [string, string]),
  );
}

function bodyOf(body: NonNullable<RequestInit['body']>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error('a request to a model has an unknown kind of body');
}

/** Where the operator or the project has to act, the message says what to do. */
function unreached(error: EgressError): ModelError {
  const { code, message } = error;
  if (code === 'blocked_address')
    return failed(`its address may not be reached (${message}): the operator allows it by GATEHOUSE_EGRESS_ALLOW`);
  if (code === 'dns_failed') return failed(`the host of its address is unknown (${message})`);
  if (code === 'timeout') return new ModelError('model_timeout', message, { cause: error });
  return failed(`the model does not answer (${code}: ${message})`);

  function failed(words: string): ModelError {
    return new ModelError('model_unavailable', words, { cause: error });
  }
}
