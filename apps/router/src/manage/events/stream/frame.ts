import type { LiveEntry } from '#libs/journal';
import { Problem } from '#libs/service-kit';
import { createHash } from 'node:crypto';

/** The id of an entry in a stream: its time, and a suffix that distinguishes entries of the same millisecond. */
export function entryId(entry: LiveEntry): string {
  const { receipt_id, stage, outcome, subject_id, attempt, service } = entry;
  const facts = JSON.stringify([receipt_id, stage, outcome, subject_id, attempt, service]);
  return `${entry.at.getTime()}-${createHash('sha1').update(facts).digest('hex').slice(0, 12)}`;
}

/** How far the time of an entry may be ahead of this process's clock. */
const maxAheadMs = 60_000;

/**
 * The time in an id that a client sends back; null for a client without one.
 * @throws Problem 400 `invalid_last_event_id`: continuing from now would pass for continuing from there
 */
export function timeOfEntryId(id: string | undefined): Date | null {
  if (id === undefined || id === '') return null;
  const ms = Number(/^(\d{1,15})-[0-9a-f]{12}$/.exec(id)?.[1] ?? Number.NaN);
  if (ms <= Date.now() + maxAheadMs) return new Date(ms);
  const detail =
    'Last-Event-ID is not an id of this stream. Leave it out to continue from now, and list earlier events.';
  throw new Problem(400, 'invalid_last_event_id', detail);
}

/** One server-sent event (WHATWG HTML 9.2). */
export function entryFrame(id: string, entry: LiveEntry): string {
  const { receipt_id, organization_id: _organization, project_id: _project, ...facts } = entry;
  return `id: ${id}\nevent: entry\ndata: ${JSON.stringify({ event_id: receipt_id, ...facts })}\n\n`;
}

/** Entries may be missing here: the client has to request the list. */
export const gapFrame = 'event: gap\ndata: {}\n\n';
