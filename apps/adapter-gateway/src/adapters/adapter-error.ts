import { type JsonObject, platformCallRefused } from '#libs/adapter-sdk';

export type AdapterErrorCode = 'provider_unavailable' | 'contract_violation' | 'timeout';

/** An HTTP answer with a status other than 2xx. */
export interface FailedAnswer {
  status: number;
  /** Null when it is not a JSON object. */
  body: JsonObject | null;
  /** What it says to a person; null when it says nothing. */
  words: string | null;
}

interface Facts {
  /** The adapter's own `Retry-After`, in ms. */
  retryAfterMs?: number | null;
  answer?: FailedAnswer;
  /** The call was the trial of an adapter known to fail: its failure says nothing about the request. */
  onTrial?: boolean;
}

/** Statuses below 500 that say something about this moment, not about the request. */
const momentary = new Set([408, 425, 429]);

/** A call to an adapter that gave no valid answer. A retry after a `contract_violation` gives the same. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly retryAfterMs: number | null;
  /** What it answered with a status other than 2xx; null when it gave no answer, or a 2xx. */
  readonly answer: FailedAnswer | null;
  readonly onTrial: boolean;

  constructor(
    readonly code: AdapterErrorCode,
    message: string,
    /** False when the adapter may have acted on the call: its answer was lost. */
    readonly notSent: boolean,
    { retryAfterMs = null, answer, onTrial = false }: Facts = {},
  ) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.answer = answer ?? null;
    this.onTrial = onTrial;
  }

  /** The same failure, with more words. */
  saying(words: string): AdapterError {
    const { code, message, notSent, retryAfterMs, answer, onTrial } = this;
    const facts = { retryAfterMs, onTrial, ...(answer ? { answer } : {}) };
    return new AdapterError(code, `${message}: ${words}`, notSent, facts);
  }

  /** The adapter refused this request with a 4xx: the same request gives the same again. Null otherwise. */
  get refusal(): FailedAnswer | null {
    const { answer } = this;
    if (answer === null || this.retryAfterMs !== null || momentary.has(answer.status)) return null;
    if (refusesPlatform(answer)) return null;
    return answer.status >= 400 && answer.status < 500 ? answer : null;
  }
}

/** The adapter does not accept the platform's own signature: that says nothing about the request that was sent. */
export function refusesPlatform({ status, body }: Pick<FailedAnswer, 'status' | 'body'>): boolean {
  const message = body?.['message'];
  const given = body?.['ok'] !== undefined;
  return status === 401 && !given && typeof message === 'string' && message.startsWith(platformCallRefused);
}
