import type { Schema } from '../../../api/named-schema.js';

export type Entry = Schema<'EventEntryView'>;
export type EventDetail = Schema<'EventDetailView'>;

/** A station on an event's timeline: one entry, or all entries of one turn or one delivery. */
export interface Station {
  key: string;
  stage: Entry['stage'];
  /** A message, a turn or a delivery. */
  subject: string | null;
  /** Oldest first; never empty. */
  entries: [Entry, ...Entry[]];
  last: Entry;
  startMs: number;
  endMs: number;
  waitedMs: number | null;
}

/** @param entries oldest first */
export function stationsOf(entries: readonly Entry[]): Station[] {
  const stations = new Map<string, Station>();
  for (const [index, entry] of entries.entries()) {
    const together = (entry.stage === 'turn' || entry.stage === 'delivery') && entry.subject_id !== null;
    const key = together ? `${entry.stage}-${entry.subject_id}` : `${entry.stage}-${index}`;
    const known = stations.get(key);
    stations.set(key, known ? extended(known, entry) : begun(key, entry));
    if (entry.stage === 'received' && saysOfSignature(entry, entries))
      stations.set(`verified-${index}`, checkedAtOnce(`verified-${index}`, entry));
  }
  return [...stations.values()];
}

/** Where the adapter checks signatures, its own entry says how that ended; until then, that it does. */
function saysOfSignature({ detail }: Entry, entries: readonly Entry[]): boolean {
  if (!detail || !('scheme' in detail)) return false;
  return detail['scheme'] !== null || !entries.some(({ stage }) => stage === 'verified');
}

/** A signature is checked while the request is received, so the check is in that entry. */
function checkedAtOnce(key: string, entry: Entry): Station {
  const atMs = Date.parse(entry.at);
  return { ...begun(key, entry), stage: 'verified', startMs: atMs, endMs: atMs, waitedMs: null };
}

function begun(key: string, entry: Entry): Station {
  const { stage, subject_id: subject } = entry;
  const [startMs, endMs] = spanOf(entry);
  return { key, stage, subject, entries: [entry], last: entry, startMs, endMs, waitedMs: entry.waited_ms };
}

function extended(station: Station, entry: Entry): Station {
  const [startMs, endMs] = spanOf(entry);
  return {
    ...station,
    entries: [...station.entries, entry],
    last: entry,
    startMs: Math.min(station.startMs, startMs),
    endMs: Math.max(station.endMs, endMs),
  };
}

function spanOf({ at, duration_ms: took }: Entry): [number, number] {
  const endMs = Date.parse(at);
  return [endMs - (took ?? 0), endMs];
}

/** The whole timeline, from the first byte to the last entry. */
export function spanOfWay(stations: readonly Station[]): { startMs: number; endMs: number } {
  return {
    startMs: Math.min(...stations.map(({ startMs }) => startMs)),
    endMs: Math.max(...stations.map(({ endMs }) => endMs)),
  };
}

/** A detail of an entry, if it is a text or a number. */
export function fact(entry: Entry, name: string): string | null {
  const value = entry.detail?.[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
