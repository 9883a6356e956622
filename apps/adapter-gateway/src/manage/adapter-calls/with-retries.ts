import { backoffMs } from '#libs/contracts';
import { PermanentFailure, RunLater } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { setTimeout as pause } from 'node:timers/promises';
import { AdapterError } from '../../path/adapters/adapter-answer.js';

const backoff = { baseMs: 100, capMs: 20_000 };

/**
 * Calls an adapter until it answers, for a caller that waits. Only for calls that may be repeated.
 * @param limits.budgetMs no attempt begins later than this after the first
 * @throws Problem 502 `contract_violation`, 503 `provider_unavailable` (with `Retry-After` where it is known) and
 * `adapter_unready | adapter_busy | circuit_open`, 504 `timeout`
 */
export async function withRetries<T>(
  ask: () => Promise<T>,
  limits: { attempts: number; budgetMs: number },
): Promise<T> {
  const deadline = performance.now() + limits.budgetMs;
  let failure: AdapterError | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const waitMs = waitBeforeNext(error, attempt);
      if (error instanceof AdapterError) failure = error;
      const over = attempt >= limits.attempts || performance.now() + (waitMs ?? 0) >= deadline;
      if (waitMs === null || over) {
        // If this failure opened the circuit, the failure says more than the open circuit.
        throw callProblem(error instanceof RunLater && failure ? failure : error);
      }
      await pause(waitMs);
    }
  }
}

/** Null when a retry gives the same. */
function waitBeforeNext(error: unknown, attempt: number): number | null {
  if (error instanceof RunLater) return error.delayMs;
  if (!(error instanceof AdapterError) || error.code === 'contract_violation' || error.refusal) return null;
  return error.retryAfterMs ?? backoffMs(backoff, attempt);
}

/** The problem that a service gets for a call without an answer. */
function callProblem(error: unknown): unknown {
  if (error instanceof PermanentFailure) {
    return new Problem(error.code.endsWith('_not_found') ? 404 : 422, error.code, error.message);
  }
  if (error instanceof RunLater) return unavailable(error.code, error.message, error.delayMs);
  if (!(error instanceof AdapterError)) return error;
  if (error.code === 'contract_violation') return new Problem(502, error.code, error.message);
  if (error.code === 'timeout') return new Problem(504, error.code, error.message);
  return unavailable(error.code, error.message, error.retryAfterMs ?? 2_000);
}

function unavailable(code: string, detail: string, waitMs: number): Problem {
  return new Problem(503, code, detail, [], { 'retry-after': String(Math.ceil(waitMs / 1_000)) });
}
