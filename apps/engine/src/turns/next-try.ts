import { backoffMs, turnRun } from '#libs/contracts';
import { errorCode, PermanentFailure } from '#libs/queue';
import { ModelError } from '../model/model.js';
import type { EngineSettings } from '../settings.js';
import { ToolsetUnavailable } from '../tools/registry/toolset-client.js';

/** How a turn stood when it failed. */
export interface Tried {
  /** Claims that count, the failed one included. */
  tries: number;
  /** Claims that do not. */
  waits: number;
  /** For how long, in ms, what it needs has been away; null: it was there. */
  awayMs: number | null;
}

export type NextTry =
  /** Again after `delayMs`. `leftMs`: in how long the turn fails, where it waits for something that is away; else null. */
  { again: true; code: string; delayMs: number; leftMs: number | null } | { again: false; code: string };

type Limits = Pick<EngineSettings, 'TURN_MAX_ATTEMPTS' | 'TURN_WAIT_MS' | 'MODEL_TRIAL_MS'>;

const firstWaitMs = 1_000;
/** Half of a wait is certain: a turn is work to take up again. */
const jitter = 0.5;

/**
 * The one place that decides what becomes of a turn that failed: a turn whose model is away waits without using up its
 * tries, everything else is tried again so many times. The row keeps it, so a turn has one chain of tries however often
 * its job is added.
 */
export function nextTry(error: unknown, { tries, waits, awayMs }: Tried, limits: Limits): NextTry {
  const code = errorCode(error);
  if (error instanceof PermanentFailure || (error instanceof ModelError && error.permanent))
    return { again: false, code };
  const away = error instanceof ToolsetUnavailable || (error instanceof ModelError && error.away);
  if (!away) {
    if (tries >= limits.TURN_MAX_ATTEMPTS) return { again: false, code };
    return { again: true, code, delayMs: backoffMs(turnRun.backoff, tries, jitter), leftMs: null };
  }
  const leftMs = limits.TURN_WAIT_MS - (awayMs ?? 0);
  if (leftMs <= 0) return { again: false, code };
  const asked = error instanceof ModelError ? error.retryAfterMs : null;
  const delayMs = asked ?? backoffMs({ baseMs: firstWaitMs, capMs: limits.MODEL_TRIAL_MS }, waits, jitter);
  return { again: true, code, delayMs: Math.min(delayMs, leftMs), leftMs };
}
