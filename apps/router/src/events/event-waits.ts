import type { TimelineEntry } from '#libs/journal';

export type WaitedEntry = TimelineEntry & {
  app_id: string;
  /** Between what came before and the begin of this, in ms: in a queue, or for its time. Null where nobody knows its begin. */
  waited_ms: number | null;
};

/** @param entries of one event, oldest first */
export function withWaits(entries: (TimelineEntry & { app_id: string })[]): WaitedEntry[] {
  return entries.map((entry, index) => {
    const before = entries[index - 1];
    if (!before || entry.duration_ms === null) return { ...entry, waited_ms: null };
    const begunMs = entry.at.getTime() - entry.duration_ms;
    return { ...entry, waited_ms: Math.max(0, Math.round(begunMs - before.at.getTime())) };
  });
}
