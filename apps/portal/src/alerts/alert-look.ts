import type { AttentionReport, ReportedItem } from '../attention/attention-list.js';
import { causeOf } from '../attention/attention-list.js';
import type { AlertRule, Receiver } from './alert-rule.entity.js';
import { type CauseState, type Manner, opened, type News, seen, unseen } from './next-cause.js';
import { isQuiet } from './quiet-hours.js';

/** What is known of a project when a rule looks at it. */
export interface Sight extends AttentionReport {
  /** Causes that are muted. */
  muted: ReadonlySet<string>;
  now: Date;
}

/** What a rule sees differently now. */
export interface Look {
  keep: CauseState[];
  end: string[];
  say: { news: News; cause: CauseState }[];
}

/** One look of a rule at its project. @param before its causes as they were stored */
export function lookOf(rule: AlertRule, before: CauseState[], { items, unknown, muted, now }: Sight): Look {
  const look: Look = { keep: [], end: [], say: [] };
  const current = new Map(
    items.flatMap((item): [string, ReportedItem][] => {
      const cause = causeOf(item);
      return watches(rule, item) && waysFor(rule, { ...item, cause }).length > 0 ? [[cause, item]] : [];
    }),
  );
  const known = new Map(before.map((one) => [one.cause, one]));
  const quiet = isQuiet(rule.quiet, now);
  const ruleMuted = rule.muted_until !== null && rule.muted_until > now;
  for (const cause of new Set([...current.keys(), ...known.keys()])) {
    const item = current.get(cause);
    const stored = known.get(cause) ?? (item ? opened(cause, item, now) : null);
    if (!stored || (!item && unknown.includes(stored.service))) continue;
    if (!rule.enabled || !watches(rule, stored)) {
      look.end.push(cause);
      continue;
    }
    const manner: Manner = {
      afterMs: rule.after_minutes * 60_000,
      stillMs: rule.still_minutes * 60_000,
      quiet,
      muted: ruleMuted || muted.has(cause),
    };
    const next = item ? seen(stored, item, now, manner) : unseen(stored, now, manner);
    if (next.cause) look.keep.push(next.cause);
    else look.end.push(cause);
    if (next.news) look.say.push({ news: next.news, cause: next.cause ?? stored });
  }
  return look;
}

/** What says that an App does not deliver: through that App, nobody would hear it, and it would fail for ever. */
const deliveryCodes: readonly string[] = ['replies_wait', 'replies_dead', 'alerts_failing'];

/** The receivers to whom this can be sent. */
export function waysFor(
  { receivers }: Pick<AlertRule, 'receivers'>,
  { code, cause }: Pick<CauseState, 'code' | 'cause'>,
): Receiver[] {
  return deliveryCodes.includes(code) ? receivers.filter(({ app_id: id }) => !cause.endsWith(` ${id}`)) : receivers;
}

function watches({ codes, rate }: AlertRule, { code }: Pick<ReportedItem, 'code'>): boolean {
  if (rate !== null) return code === `rate_${rate.measure}`;
  return codes !== null && !code.startsWith('rate_') && (codes.length === 0 || codes.includes(code));
}
