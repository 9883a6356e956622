import { type Backoff, backoffMs } from '#libs/contracts';
import { errorCode, permanentCode, RunLater } from '#libs/queue';
import type { WorkRow } from './work-row.entity.js';

/** What an attempt came to. */
export type Verdict =
  | { do: 'done' }
  /** It failed, and the failure counts. */
  | { do: 'retry'; code: string }
  /**
   * It costs no try: a `Retry-After`, an open circuit, something that is away. `ages`: the policy's age counts it; false
   * where nobody was asked, so that it says nothing about the row.
   */
  | { do: 'later'; ms: number; code: string; ages: boolean }
  | { do: 'dead'; code: string }
  /** Whether it took effect cannot be known, and a retry could repeat it. */
  | { do: 'unknown'; code: string };

/** How long work is retried. */
export interface Policy {
  /** Tries that count. */
  tries: number;
  /** The pause after a failure that counts: its base doubles with each try. */
  backoff: Backoff;
  /** The part of a pause that is random, from 0 to 1. */
  jitter: number;
  /** The longest time since `blocked_since`; null: any. */
  ageMs: number | null;
  /** Whether a failure that counts is part of that time, or ends it. */
  failuresAge: boolean;
}

/** What becomes of a row: its columns, by the claim that it belongs to. */
export interface Settlement {
  key: string;
  claim: number;
  /** `queued`, or how it ended. */
  state: 'queued' | 'done' | 'dead' | 'unknown';
  /** Null: it has ended. */
  due_in_ms: number | null;
  tries: number;
  blocked_since: Date | null;
  reason: string | null;
  /** Why a row that would be retried has ended; null: it did not end by its policy. */
  spent: 'tries' | 'age' | null;
}

/** Errors of calls say by these whether and when a further call may help. */
interface CallError extends Error {
  permanent?: boolean;
  retryAfterMs?: number | null;
}

/** The verdict on an attempt that threw. What a table knows better, it decides before it asks. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof RunLater) return { do: 'later', ms: error.delayMs, code: error.code, ages: false };
  const code = errorCode(error);
  const { permanent, retryAfterMs = null }: Partial<CallError> = error instanceof Error ? error : {};
  const dead = permanentCode(error) ?? (permanent === true ? code : null);
  if (dead !== null) return { do: 'dead', code: dead };
  return retryAfterMs === null ? { do: 'retry', code } : { do: 'later', ms: retryAfterMs, code, ages: true };
}

/** The one place that decides whether and when a claimed row is tried again. */
export function settlementOf(
  key: string,
  { claim, tries, blocked_since: since }: Pick<WorkRow, 'claim' | 'tries' | 'blocked_since'>,
  verdict: Verdict,
  policy: Policy,
  nowMs = Date.now(),
): Settlement {
  const row = { key, claim, tries, blocked_since: null, due_in_ms: null, spent: null };
  if (verdict.do === 'done') return { ...row, state: 'done', reason: null };
  const { code: reason } = verdict;
  if (verdict.do === 'dead' || verdict.do === 'unknown') return { ...row, state: verdict.do, reason };
  const counts = verdict.do === 'retry';
  const counted = counts ? tries : Math.max(0, tries - 1);
  if (counts && tries >= policy.tries) return { ...row, state: 'dead', reason, spent: 'tries' };
  const pauseMs = counts ? backoffMs(policy.backoff, tries, policy.jitter) : verdict.ms;
  const queued = { ...row, tries: counted, state: 'queued', reason } as const;
  if (counts && !policy.failuresAge) return { ...queued, due_in_ms: pauseMs };
  if (!counts && !verdict.ages) return { ...queued, due_in_ms: pauseMs, blocked_since: since };
  const blocked = since ?? new Date(nowMs);
  const leftMs = (policy.ageMs ?? Infinity) - (nowMs - blocked.getTime());
  if (leftMs <= 0) return { ...queued, state: 'dead', due_in_ms: null, blocked_since: blocked, spent: 'age' };
  // The last try is made when the time is over, not up to a whole pause before that.
  return { ...queued, due_in_ms: Math.min(pauseMs, leftMs), blocked_since: blocked };
}
