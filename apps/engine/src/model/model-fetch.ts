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
      const named = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, one] as [string, string]),
      );
      const known = status >= 200 && status <= 599 ? status : 502;
      const response = new Response(bodiless.has(known) ? null : new Uint8Array(body), {
        status: known,
        headers: named,
      });
      if (truncated) cut.add(response);
      return response;
    } catch (error) {
      if (error instanceof EgressError && error.code !== 'aborted') throw unreached(error);
      throw error;
    }
  };
}

/** Responses of which only the beginning was read. */
const cut = new WeakSet<Response>();
export const wasCut = (response: Response): boolean => cut.has(response);

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
