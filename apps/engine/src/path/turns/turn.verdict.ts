import { backoffMs, turnRun } from '#libs/contracts';
import { errorCode } from '#libs/queue';
import { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from '#libs/work';
import type { Turn } from '../../entities/turn.entity.js';
import { ModelError, type ModelErrorCode } from '../model/model.js';
import type { EngineSettings } from '../../settings.js';
import { ToolsetUnavailable } from '../tools/registry/registry-tool.js';
import { reservedCode } from './turn-budget.service.js';

/** The counts of a claimed turn. */
export type Tried = Pick<Turn, 'id' | 'claim' | 'tries' | 'blocked_since' | 'reason' | 'waits' | 'unreadable'>;

/** What becomes of a turn that failed, or has to wait. A `dead` one is ended by its dead letter. */
export type TurnSettlement = Settlement & Pick<Turn, 'waits' | 'unreadable'>;

type Limits = Pick<EngineSettings, 'TURN_MAX_ATTEMPTS' | 'TURN_MAX_UNREADABLE' | 'TURN_WAIT_MS' | 'MODEL_TRIAL_MS'>;

/** The code of a try whose answer could not be read. The row counts those. */
const unreadableCode: ModelErrorCode = 'model_malformed';

const firstWaitMs = 1_000;
/** At least half of a wait is kept, so that a turn is not retried at once. */
const jitter = 0.5;

/**
 * What a turn knows better than `settlementOf`: one whose model or toolset is unavailable waits without using up its
 * tries, and answers that cannot be read have a limit of their own. The row keeps the counts, so a turn has one chain of
 * tries however often its job is added.
 */
export function turnSettlement(error: unknown, tried: Tried, limits: Limits): TurnSettlement {
  return settle(tried, verdictOn(error, tried, limits), limits);
}

/** A wait for which nobody was asked. It ends a wait for something that is away. */
export function postponed(tried: Tried, code: string, ms: number, limits: Limits): TurnSettlement {
  return { ...settle(tried, { do: 'later', ms, code, ages: false }, limits), blocked_since: null };
}

/**
 * What the timeline says of a failure after which the turn is tried again. null: it waits for the same since an earlier
 * try, and the timeline would get an entry for each look.
 */
export function noteOfFailure(
  { reason, blocked_since: since }: TurnSettlement,
  tried: Tried,
  { TURN_WAIT_MS: waitMs }: Pick<Limits, 'TURN_WAIT_MS'>,
): { outcome: 'retrying' | 'held'; detail: { until?: string } } | null {
  const waitedForIt = tried.reason === reason;
  if (reason === reservedCode) return waitedForIt ? null : { outcome: 'held', detail: {} };
  if (since === null) return { outcome: 'retrying', detail: {} };
  if (waitedForIt && tried.blocked_since !== null) return null;
  return { outcome: 'held', detail: { until: new Date(since.getTime() + waitMs).toISOString() } };
}

function verdictOn(error: unknown, { waits, unreadable }: Tried, limits: Limits): Verdict {
  const verdict = verdictOf(error);
  if (verdict.do === 'dead') return verdict;
  const code = errorCode(error);
  if (error instanceof ToolsetUnavailable || (error instanceof ModelError && error.away)) {
    const asked = error instanceof ModelError ? error.retryAfterMs : null;
    const ms = asked ?? backoffMs({ baseMs: firstWaitMs, capMs: limits.MODEL_TRIAL_MS }, waits, jitter);
    return { do: 'later', ms, code, ages: true };
  }
  const spent = code === unreadableCode && unreadable + 1 >= limits.TURN_MAX_UNREADABLE;
  return { do: spent ? 'dead' : 'retry', code };
}

function settle(tried: Tried, verdict: Verdict, limits: Limits): TurnSettlement {
  const policy: Policy = {
    tries: limits.TURN_MAX_ATTEMPTS,
    backoff: turnRun.backoff,
    jitter,
    ageMs: limits.TURN_WAIT_MS,
    failuresAge: false,
  };
  const settlement = settlementOf(tried.id, tried, verdict, policy);
  const waits = tried.waits + (verdict.do === 'later' ? 1 : 0);
  const unreadable = tried.unreadable + (settlement.reason === unreadableCode ? 1 : 0);
  return { ...settlement, waits, unreadable };
}
