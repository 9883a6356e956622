import { adapterWait, type TimelineEntry } from '#libs/journal';

/** An entry with what went before it: a wait, which is no work. */
export type WaitedEntry = TimelineEntry & {
  app_id: string;
  /** Time in ms until this entry's own work began: in a queue, or for what `waited_for` says. Null: unknown. */
  waited_ms: number | null;
  /** What was waited for, as words that follow a duration: `behind another message of this conversation`. */
  waited_for: string | null;
};

/** Outcomes after which the same turn or delivery waits for its next try. */
const pausing = ['held', 'retrying'];

const words: Readonly<Record<string, string>> = {
  session_busy: 'behind another message of this conversation',
  workflow_held: 'for its workflow, or for more messages',
  waiting_approval: 'for a decision of a person',
  event_awaited: 'for an event',
  call_waits: 'for an answer of the user, or for a task of a server',
  project_turns: 'for a free place among the turns of the project',
  toolset_unavailable: 'for the tool registry',
  rate_limited: 'for the rate limit of the provider',
  circuit_open: 'for its adapter, which fails at every call',
  adapter_busy: 'for a free call of its adapter',
  adapter_unready: 'for its adapter to be ready',
  adapter_disabled: 'for its adapter, which is disabled',
  answer_lost: 'to ask what became of the call',
  credentials_missing: 'for a credential to be linked',
  not_connected: 'for its credential to be connected',
  needs_reconnect: 'for its credential to be connected again',
  revoked: 'for its credential to be connected again',
  credential_undecryptable: 'for its credential to be opened',
  credential_not_found: 'for another credential to be linked',
};

function wordsOf(entry: Pick<TimelineEntry, 'reason' | 'detail'>): string {
  const adapter = adapterWait(entry);
  if (adapter !== null) return `for ${adapter}`;
  const { reason } = entry;
  if (reason === null) return 'to be tried again';
  const known = words[reason];
  if (known !== undefined) return known;
  return reason.startsWith('model_') ? `for the model (${reason})` : `to be tried again (${reason})`;
}

/**
 * What an event that has not ended waits for, as a sentence; null: it is being worked on.
 * @param last its last entry
 */
export function waitInWords(last: TimelineEntry | undefined): string | null {
  if (!last || last.terminal || !pausing.includes(last.outcome)) return null;
  return `It waits ${wordsOf(last)}.`;
}

/**
 * What a turn reports while it runs, with the time of one call: it does not say when the turn began, which the entry that
 * ends the attempt does.
 */
const isReport = ({ outcome, duration_ms: took }: TimelineEntry): boolean => outcome === 'running' && took !== null;

/** @param entries of one event, oldest first */
export function withWaits(entries: (TimelineEntry & { app_id: string })[]): WaitedEntry[] {
  const lastOf = new Map<string, TimelineEntry>();
  let before: TimelineEntry | undefined;
  return entries.map((entry) => {
    if (isReport(entry)) return { ...entry, waited_ms: null, waited_for: null };
    const key = `${entry.stage} ${entry.subject_id}`;
    const own = entry.subject_id === null ? undefined : lastOf.get(key);
    const earlier = before;
    lastOf.set(key, entry);
    before = entry;
    const begunMs = entry.at.getTime() - (entry.duration_ms ?? 0);
    const since = (from: TimelineEntry): number => Math.max(0, Math.round(begunMs - from.at.getTime()));
    if (own && pausing.includes(own.outcome)) return { ...entry, waited_ms: since(own), waited_for: wordsOf(own) };
    if (!earlier || entry.duration_ms === null) return { ...entry, waited_ms: null, waited_for: null };
    return { ...entry, waited_ms: since(earlier), waited_for: own ? null : 'in the queue' };
  });
}
