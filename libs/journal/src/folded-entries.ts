import type { JournalEntry } from './entry.js';

/** Where in its detail an entry has the steps that share its row. */
const field = 'steps_before';

/** A step as its row has it: no names, since there is one for every message. Without a service: the adapter gateway's. */
type Folded = [stage: string, beforeMs: number, ms: number | null, service: string | null, more?: More];

const usualService = 'adapter-gateway';
/** What parsing and routing both say of every message. */
const usualFacts = ['event_type', 'messages'];

interface More {
  reason?: string;
  attempt?: number;
  /** Facts that the row's own entry states too, by name; true: the usual ones. */
  same?: string[] | true;
  detail?: Record<string, unknown>;
}

/** An entry as it is read, as far as its steps are like it. */
interface ReadEntry {
  at: Date;
  service: string;
  stage: string;
  outcome: string;
  terminal: boolean;
  reason: string | null;
  subject_id: string | null;
  attempt: number;
  duration_ms: number | null;
  detail: Record<string, unknown> | null;
}

/**
 * The detail of an entry with the steps that share its row. A row repeats whose receipt it is about and has entries in
 * two indexes: 350 bytes, where a step that went well has 40 to say.
 */
export function foldedDetail(
  { detail: own = null, before = [], at: rowAt = new Date() }: JournalEntry,
  service: string,
): JournalEntry['detail'] {
  if (before.length === 0) return own;
  const steps = before.map(({ at = rowAt, stage, duration_ms: ms = null, service: by = service, ...step }): Folded => {
    const more = moreOf(step, own);
    const tookMs = ms && Math.round(ms * 1_000) / 1_000;
    const known = [stage, rowAt.getTime() - at.getTime(), tookMs, by === usualService ? null : by] as const;
    return Object.keys(more).length > 0 ? [...known, more] : [...known];
  });
  return { ...own, [field]: steps };
}

function moreOf(
  { reason, attempt = 1, detail }: Pick<JournalEntry, 'reason' | 'attempt' | 'detail'>,
  own: JournalEntry['detail'],
): More {
  const facts = Object.entries(detail ?? {});
  const isSame = ([name, value]: [string, unknown]): boolean => JSON.stringify(own?.[name]) === JSON.stringify(value);
  const same = facts.filter(isSame).map(([name]) => name);
  const rest = facts.filter((fact) => !isSame(fact));
  return {
    ...(reason ? { reason } : {}),
    ...(attempt === 1 ? {} : { attempt }),
    ...(same.length > 0 ? { same: isUsual(same) || same } : {}),
    ...(rest.length > 0 ? { detail: Object.fromEntries(rest) } : {}),
  };
}

function isUsual(names: string[]): boolean {
  return names.length === usualFacts.length && usualFacts.every((name) => names.includes(name));
}

/** Each entry after the steps in its row. */
export function unfolded<T extends ReadEntry>(entries: T[]): T[] {
  return entries.flatMap((entry) => {
    if (!entry.detail || !(field in entry.detail)) return [entry];
    const { [field]: steps, ...own } = entry.detail;
    const before = (steps as Folded[]).map(([stage, beforeMs, ms, service, more = {}]): T => {
      const { reason = null, attempt = 1, same = [], detail } = more;
      const names = same === true ? usualFacts : same;
      const facts = { ...Object.fromEntries(names.map((name) => [name, own[name]])), ...detail };
      return {
        ...entry,
        at: new Date(entry.at.getTime() - beforeMs),
        service: service ?? usualService,
        stage,
        outcome: 'ok',
        terminal: false,
        reason,
        subject_id: null,
        attempt,
        duration_ms: ms,
        detail: Object.keys(facts).length > 0 ? facts : null,
      };
    });
    return [...before, { ...entry, detail: Object.keys(own).length > 0 ? own : null }];
  });
}
