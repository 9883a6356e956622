import { backoffMs, type InboundParsePayload, inboundParse } from '#libs/contracts';
import { errorCode, RunLater } from '#libs/queue';
import { AdapterError } from '../adapters/adapter-error.js';
import { circuitOpenCode } from '../adapters/breaker.js';
import type { Rescheduled } from './inbound-wait.repository.js';

/** The adapter said itself when to come again. */
export const retryAfterCode = 'retry_after';

/**
 * When a receipt comes again. A pause (a `Retry-After`, an adapter that is not ready, has too much to do, or fails
 * with everything) costs no attempt.
 * @param attempts that failed before this one
 */
export function reschedule(job: InboundParsePayload, adapterId: string, attempts: number, error: unknown): Rescheduled {
  const pause = { job, adapterId, attempts: 0 } as const;
  if (error instanceof RunLater) {
    // What a circuit holds back is taken when it closes: there is no time to wait for.
    return { ...pause, code: error.code, waitMs: error.code === circuitOpenCode ? 0 : error.delayMs };
  }
  if (error instanceof AdapterError && error.retryAfterMs !== null) {
    return { ...pause, code: retryAfterCode, waitMs: error.retryAfterMs };
  }
  const waitMs = backoffMs(inboundParse.backoff, attempts + 1);
  if (error instanceof AdapterError && error.onTrial) return { ...pause, code: error.code, waitMs };
  return { job, adapterId, code: errorCode(error), waitMs, attempts: 1 };
}
