import { newId } from '#libs/contracts';
import { type Queryable, storableJson, asynchronousCommit } from '#libs/database';
import { entryColumns as columns } from './entries-in-rows.js';
import { endsReceipt, type JournalEntry } from './entry.js';
import { foldedDetail } from './folded-entries.js';

const rowsOf = (parameter: number): string => `
  jsonb_to_recordset($${parameter}::jsonb) AS row(receipt_id text, at timestamptz, organization_id text, project_id text,
    app_id text, service text, stage text, outcome text, terminal boolean, reason text, subject_id text, attempt integer,
    duration_ms double precision, detail jsonb, letter_id text, only_with text)`;

/** The same statement also stores a dead letter; written twice, it is one. */
const letters = (source: string): string => `
  INSERT INTO journal.dead_letter (id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason,
    error, state)
  SELECT letter_id, at, organization_id, project_id, app_id, receipt_id, stage, subject_id, reason,
         left(detail ->> 'error', 2000), 'open'
    FROM ${source} WHERE outcome = 'dead'
  ON CONFLICT (receipt_id, stage, coalesce(subject_id, '')) WHERE state = 'open' DO NOTHING`;

/**
 * CTEs that write entries in the statement that commits what they report.
 * @param parameter the number of the parameter with `entryRows`
 * @param won selects the `only_with` values whose entries are written; the others are not
 */
export const entryCtes = (parameter: number, won: string): string => `
  told AS (
    SELECT row.* FROM ${rowsOf(parameter)}
     WHERE row.only_with IN (${won})),
  journaled AS (INSERT INTO journal.entry (${columns}) SELECT ${columns} FROM told),
  lettered AS (${letters('told')})`;

const insert = `
  INSERT INTO journal.entry (${columns})
  SELECT ${columns} FROM ${asynchronousCommit}, jsonb_populate_recordset(NULL::journal.entry, $1::jsonb)`;

/**
 * What dies is reported once: while its letter is open, another attempt that ran beside the first one adds nothing. So
 * whoever sends it again takes the letter before, or in the same transaction; a replay takes it right after, and what
 * died in between is sent once more when the letter is checked.
 */
const insertWithDead = `
  WITH told AS MATERIALIZED (
    SELECT row.* FROM ${asynchronousCommit}, ${rowsOf(1)}),
  lettered AS (${letters('told')} RETURNING id)
  INSERT INTO journal.entry (${columns})
  SELECT ${columns} FROM told WHERE outcome <> 'dead' OR letter_id IN (SELECT id FROM lettered)`;

/** An entry as the columns of its row. */
export function entryRow(entry: JournalEntry, service: string): Record<string, unknown> {
  const { before: _folded, at = new Date(), ...columns } = entry;
  return {
    ...columns,
    at,
    detail: foldedDetail({ ...entry, at }, service),
    attempt: entry.attempt ?? 1,
    service: entry.service ?? service,
    terminal: endsReceipt(entry),
    ...(entry.outcome === 'dead' ? { letter_id: newId('dlt') } : {}),
  };
}

/** Writes entries of one service in one statement. */
export async function insertEntries(db: Queryable, service: string, entries: JournalEntry[]): Promise<void> {
  const rows = entries.map((entry) => entryRow(entry, service));
  const anyDead = entries.some((entry) => entry.outcome === 'dead');
  await db.query(anyDead ? insertWithDead : insert, [storableJson(rows)]);
}
