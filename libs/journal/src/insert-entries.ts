import { newId } from '#libs/contracts';
import { type Queryable, storableJson, withoutFlush } from '#libs/database';
import { endsReceipt, type JournalEntry } from './entry.js';

const columns = `receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal, reason, subject_id,
  attempt, duration_ms, detail`;

const insert = `
  INSERT INTO journal.entry (${columns})
  SELECT ${columns} FROM ${withoutFlush}, jsonb_populate_recordset(NULL::journal.entry, $1::jsonb)`;

/** What died is also kept as a dead letter, by the same statement; said twice, it is one. */
const insertWithDead = `
  WITH written AS (${insert})
  INSERT INTO journal.dead_letter (id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason,
    error, state)
  SELECT letter_id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason,
         left(detail ->> 'error', 2000), 'open'
    FROM jsonb_to_recordset($1::jsonb) AS dead(letter_id text, at timestamptz, organization_id text, project_id text,
         app_id text, receipt_id text, stage text, subject_id text, reason text, outcome text, detail jsonb)
   WHERE outcome = 'dead'
  ON CONFLICT (receipt_id, stage, coalesce(subject_id, '')) WHERE state = 'open' DO NOTHING`;

/** Writes entries of one service in one statement. */
export async function insertEntries(db: Queryable, service: string, entries: JournalEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    ...entry,
    attempt: entry.attempt ?? 1,
    service,
    terminal: endsReceipt(entry),
    ...(entry.outcome === 'dead' ? { letter_id: newId('dlt') } : {}),
  }));
  const anyDead = entries.some((entry) => entry.outcome === 'dead');
  await db.query(anyDead ? insertWithDead : insert, [storableJson(rows)]);
}
