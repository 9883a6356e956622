import type { JournalEntry } from '#libs/journal';
import type { Turn } from '../entities/turn.entity.js';

/** A timeline entry for a stored turn. */
export function entryOf(
  { id, receipt_id, organization_id, project_id, app_id, attempt }: Turn,
  outcome: JournalEntry['outcome'],
  reason: string | null,
  detail: Record<string, unknown> | null,
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id, subject_id: id };
  return { ...subject, stage: 'turn', outcome, reason, attempt: Math.max(1, attempt), detail };
}
