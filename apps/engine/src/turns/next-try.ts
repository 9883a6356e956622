import { backoffMs, turnRun } from '#libs/contracts';
import { errorCode, PermanentFailure } from '#libs/queue';
import { ModelError, type ModelErrorCode } from '../model/model.js';
import type { EngineSettings } from '../settings.js';
import { ToolsetUnavailable } from '../tools/registry/toolset-client.js';

/** The state of a turn when it failed. */
export interface Tried {
  /** Claims that count as tries, including the failed one. */
  tries: number;
  /** Those before it that ended with an answer of the model that could not be read. */
  unreadable: number;
  /** Claims that do not count. */
  waits: number;
  /** For how many ms the thing it needs has been unavailable; null: it was available. */
  awayMs: number | null;
}

export type NextTry =
  /** Retry after `delayMs`. `leftMs`: when the turn fails for good if it waits for something unavailable; else null. */
  { again: true; code: string; delayMs: number; leftMs: number | null } | { again: false; code: string };

type Limits = Pick<EngineSettings, 'TURN_MAX_ATTEMPTS' | 'TURN_MAX_UNREADABLE' | 'TURN_WAIT_MS' | 'MODEL_TRIAL_MS'>;

/** The code of a try whose answer could not be read. The row counts those. */
export const unreadableCode: ModelErrorCode = 'model_malformed';

const firstWaitMs = 1_000;
/** At least half of a wait is kept, so that a turn is not retried at once. */
const jitter = 0.5;

/**
 * The only place that decides what happens to a failed turn. A turn whose model or toolset is unavailable waits without
 * using up its tries. Anything else is retried a limited number of times. The row keeps the counts, so a turn has one
 * chain of tries however often its job is added.
 */
export function nextTry(error: unknown, { tries, unreadable, waits, awayMs }: Tried, limits: Limits): NextTry {
  const code = errorCode(error);
  if (error instanceof PermanentFailure || (error instanceof ModelError && error.permanent))
    return { again: false, code };
  const away = error instanceof ToolsetUnavailable || (error instanceof ModelError && error.away);
  if (!away) {
    const spent = code === unreadableCode && unreadable + 1 >= limits.TURN_MAX_UNREADABLE;
    if (spent || tries >= limits.TURN_MAX_ATTEMPTS) return { again: false, code };
    return { again: true, code, delayMs: backoffMs(turnRun.backoff, tries, jitter), leftMs: null };
  }
  const leftMs = limits.TURN_WAIT_MS - (awayMs ?? 0);
  if (leftMs <= 0) return { again: false, code };
  const asked = error instanceof ModelError ? error.retryAfterMs : null;
  const delayMs = asked ?? backoffMs({ baseMs: firstWaitMs, capMs: limits.MODEL_TRIAL_MS }, waits, jitter);
  return { again: true, code, delayMs: Math.min(delayMs, leftMs), leftMs };
}
