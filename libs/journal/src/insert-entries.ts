import { newId } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import { endsReceipt, type JournalEntry } from './entry.js';

const insert = `
  INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal,
    reason, subject_id, attempt, duration_ms, detail)
  SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::boolean[], $10::text[], $11::text[], $12::integer[], $13::double precision[], $14::jsonb[])`;

/** What died is also kept as a dead letter, by the same statement; said twice, it is one. */
const insertWithDead = `
  WITH written AS (${insert}),
  dead AS (
    SELECT * FROM unnest($15::text[], $1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $7::text[],
      $8::text[], $10::text[], $11::text[], $14::jsonb[])
      AS d(id, receipt_id, at, organization_id, project_id, app_id, stage, outcome, reason, subject_id, detail)
     WHERE outcome = 'dead')
  INSERT INTO journal.dead_letter (id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason,
    error, state)
  SELECT id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason, left(detail ->> 'error', 2000),
    'open' FROM dead
  ON CONFLICT (receipt_id, stage, coalesce(subject_id, '')) WHERE state = 'open' DO NOTHING`;

/** Writes entries of one service in one statement. */
export async function insertEntries(db: Queryable, service: string, entries: JournalEntry[]): Promise<void> {
  const column = <T>(of: (entry: JournalEntry) => T): T[] => entries.map(of);
  const columns = [
    column((entry) => entry.receipt_id),
    column((entry) => entry.at),
    column((entry) => entry.organization_id),
    column((entry) => entry.project_id),
    column((entry) => entry.app_id),
    column(() => service),
    column((entry) => entry.stage),
    column((entry) => entry.outcome),
    column(endsReceipt),
    column((entry) => entry.reason ?? null),
    column((entry) => entry.subject_id ?? null),
    column((entry) => entry.attempt ?? 1),
    column((entry) => entry.duration_ms ?? null),
    column((entry) => (entry.detail ? storableJson(entry.detail) : null)),
  ];
  if (entries.some((entry) => entry.outcome === 'dead')) {
    await db.query(insertWithDead, [...columns, column(() => newId('dlt'))]);
  } else {
    await db.query(insert, columns);
  }
}
