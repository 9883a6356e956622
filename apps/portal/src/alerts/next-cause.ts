import type { ReportedItem } from '../attention/attention-list.js';
import type { AlertCause } from './alert-cause.entity.js';
import type { AlertKind } from './alert.entity.js';

export type CauseState = Omit<AlertCause, 'rule' | 'rule_id'>;

/** How a rule speaks now. */
export interface Manner {
  afterMs: number;
  stillMs: number;
  /** Quiet hours: what would be said waits. */
  quiet: boolean;
  /** The rule, or the cause. Whoever muted it does not want to hear that it is over, either. */
  muted: boolean;
}

export type News = Exclude<AlertKind, 'test'>;

export interface Step {
  /** Null: it is over. */
  cause: CauseState | null;
  news: News | null;
}

/** `still` is said at most so often: after that, the page and the badge say it. */
export const mostStill = 5;
/** What comes and goes within this time is one cause. */
export const settleMs = 60_000;

/** A cause that begins. */
export function opened(cause: string, item: ReportedItem, now: Date): CauseState {
  return { cause, ...shownOf(item), opened_at: now, announced: 0, still_at: null, gone_since: null };
}

/**
 * What becomes of a cause that is seen, and what is said of it.
 * @param item as it is reported now
 */
export function seen(before: CauseState, item: ReportedItem, now: Date, manner: Manner): Step {
  const cause = { ...before, ...shownOf(item), gone_since: null };
  if (manner.quiet || manner.muted) return { cause, news: null };
  const { announced, still_at: stillAt } = cause;
  if (announced === 0) {
    if (now.getTime() - cause.opened_at.getTime() < manner.afterMs) return { cause, news: null };
    return { cause: { ...cause, announced: 1, still_at: later(now, manner.stillMs) }, news: 'began' };
  }
  if (stillAt === null || now < stillAt) return { cause, news: null };
  const next = announced < mostStill ? later(now, manner.stillMs * 2 ** announced) : null;
  return { cause: { ...cause, announced: announced + 1, still_at: next }, news: 'still' };
}

/** What becomes of a cause that is not reported, by a service that would report it. */
export function unseen(before: CauseState, now: Date, { quiet, muted }: Manner): Step {
  if (before.announced === 0 || muted) return { cause: null, news: null };
  const cause = { ...before, gone_since: before.gone_since ?? now };
  if (quiet || now.getTime() - cause.gone_since.getTime() < settleMs) return { cause, news: null };
  return { cause: null, news: 'over' };
}

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

function shownOf({ service, code, severity, text, what_to_do }: ReportedItem) {
  return { service, code, severity, text, what_to_do };
}
