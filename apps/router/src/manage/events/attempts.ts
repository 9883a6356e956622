import type { TimelineEntry } from '#libs/journal';

/** Attempts of a turn or a delivery in a row that ended in the same way. */
export interface Attempts {
  stage: string;
  /** The turn or the delivery. */
  subject_id: string;
  outcome: string;
  reason: string | null;
  /** What the last of them said. */
  error: string | null;
  count: number;
  /** Number of the first. */
  attempt: number;
  from: Date;
  to: Date;
  /** In short: `12 × 500 in 80 s`. */
  text: string;
}

const ofAttempts = ['turn', 'delivery'];
const retrying = 'retrying';

/**
 * What each turn and each delivery tried, with what is alike in one line. Of many failures of one kind the journal has
 * only some, so the numbers of the attempts say how many there were.
 * @param entries of one event, oldest first
 */
export function attemptsOf(entries: TimelineEntry[]): Attempts[] {
  const all: Attempts[] = [];
  const lastOf = new Map<string, Attempts>();
  for (const entry of entries) {
    const { stage, subject_id: subject, outcome, reason, attempt, at } = entry;
    if (subject === null || !ofAttempts.includes(stage) || outcome === 'running') continue;
    const last = lastOf.get(subject);
    const error = errorOf(entry);
    if (last && last.outcome === retrying) last.count = Math.max(1, attempt - last.attempt);
    if (last && last.outcome === outcome && last.reason === reason && labelOf(last) === labelOf({ ...entry, error })) {
      Object.assign(last, { error, to: at, count: Math.max(last.count, attempt - last.attempt) + 1 });
      continue;
    }
    const next = { stage, subject_id: subject, outcome, reason, error, count: 1, attempt, from: begun(entry), to: at };
    const made = { ...next, text: '' };
    lastOf.set(subject, made);
    all.push(made);
  }
  for (const one of all) one.text = inShort(one);
  return all;
}

const begun = ({ at, duration_ms: took }: TimelineEntry): Date => new Date(at.getTime() - (took ?? 0));

function errorOf({ detail }: TimelineEntry): string | null {
  const found = detail?.['error'] ?? detail?.['text'];
  return typeof found === 'string' ? found : null;
}

/** A status of HTTP says more than the code of ours. */
function labelOf({ reason, error, outcome }: Pick<Attempts, 'reason' | 'error' | 'outcome'>): string {
  const status = outcome === 'delivered' || outcome === 'succeeded' ? null : /\b[45]\d\d\b/.exec(error ?? '');
  return status?.[0] ?? (reason ?? outcome).replaceAll('_', ' ');
}

function inShort(attempts: Attempts): string {
  const label = labelOf(attempts);
  if (attempts.count === 1) return label;
  return `${attempts.count} × ${label} in ${spanInWords(attempts.to.getTime() - attempts.from.getTime())}`;
}

const units = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** From two of a unit on it is counted in it: `80 s`, `3 min`. */
function spanInWords(ms: number): string {
  const [unitMs, unit] = units.find(([one]) => ms >= 2 * one) ?? [1, 'ms'];
  return `${Math.round(ms / unitMs)} ${unit}`;
}
