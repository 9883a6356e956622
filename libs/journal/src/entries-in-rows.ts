import type { JournalEntry } from './entry.js';
import { foldedDetail } from './folded-entries.js';

/** The columns of an entry, as every source of entries has them. */
export const entryColumns = `receipt_id, organization_id, project_id, app_id, at, service, stage, outcome, terminal, reason,
  subject_id, attempt, duration_ms, detail`;

/**
 * Where entries lie: in the journal, and where a message was routed, a turn succeeded or a delivery arrived, in the row of
 * that. Its service keeps a view of those. A receipt is an entry, too, in a view that only timelines and lists read.
 */
export const entrySources = [
  'journal.entry',
  'journal.message_entry',
  'journal.turn_entry',
  'journal.delivery_entry',
] as const;

const isRow = (source: string): boolean => source !== 'journal.entry';

/**
 * SQL: every entry, as a table. A condition on its columns reaches the index of each source. `in_row`: it is the last of
 * its subject, whatever the clocks of the processes before it said.
 */
export const everyEntry = `(${entrySources
  .map((source) => `SELECT ${entryColumns}, ${isRow(source)} AS in_row FROM ${source}`)
  .join(' UNION ALL ')})`;

/**
 * SQL: whether no entry `e` is so, for many rows of a statement: each source is joined whole, where a look at `everyEntry` would
 * be made row by row.
 */
export const noEntrySql = (isSo: string): string =>
  entrySources.map((source) => `NOT EXISTS (SELECT FROM ${source} e WHERE ${isSo})`).join(' AND ');

/**
 * What an entry says beside its row, as the row's column `entry` has it: as `json`, which takes half of the space of `jsonb` here. In a
 * row whose entry lies in the journal: null.
 */
export interface EntryInRow {
  /** How long it took; absent: unknown. */
  ms?: number;
  /** Absent: the first. */
  attempt?: number;
  detail?: Record<string, unknown>;
}

/** What an erasure takes out of the journal's details stays out of rows. */
const personal = ['sender', 'error', 'text'];

/**
 * An entry without what its row says.
 * @param ofRow what the view of its service adds to the details
 * @returns null for an entry that belongs into the journal: its details lack some of that, or may have to be erased
 */
export function inRow(entry: JournalEntry, service: string, ofRow: Record<string, unknown>): EntryInRow | null {
  const detail = foldedDetail(entry, service) ?? {};
  const isOfRow = (name: string): boolean => JSON.stringify(detail[name]) === JSON.stringify(ofRow[name]);
  const own = Object.entries(detail).filter(([name]) => !(name in ofRow && isOfRow(name)));
  if (Object.keys(ofRow).some((name) => !(name in detail))) return null;
  if (own.some(([name]) => personal.includes(name))) return null;
  const { attempt = 1, duration_ms: ms } = entry;
  return {
    ...(typeof ms === 'number' ? { ms: Math.round(ms * 1_000) / 1_000 } : {}),
    ...(attempt === 1 ? {} : { attempt }),
    ...(own.length === 0 ? {} : { detail: Object.fromEntries(own) }),
  };
}
