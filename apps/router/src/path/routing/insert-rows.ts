import { type Queryable, storableJson, asynchronousCommit } from '#libs/database';
import { entryCtes } from '#libs/journal';
import type { Target } from '../handover/target.js';
import { claim, type Claimed, claimSql } from './claim.js';
import type { Draft } from './draft.js';
import type { MessageRow } from '../../entities/message.entity.js';

/** New messages, with the turns that they start. */
export interface NewRows {
  messages: (MessageRow & { turns: Target[] })[];
  /** Journal entries, each with its message. */
  entries: Record<string, unknown>[];
}

// Named explicitly, so that a column added by a later release gets its default when this release writes.
const columns = `id, organization_id, project_id, app_id, receipt_id, verified, message, outcome, reason, verdicts, app_kind,
  contact_id, sanitizer_report, created_at, unlisted_verdicts, app_sends,
  chief_of_staff, reply_withheld, text_from, request, turns`;

// One statement: two would cost another round trip, during which the batch's locks are held.
const insertSql = (first: number, flush: boolean, wins: string): string => `
  message AS (
    INSERT INTO router.message (${columns})
    SELECT ${columns}
      FROM ${flush ? '' : `${asynchronousCommit}, `}jsonb_populate_recordset(NULL::router.message, $${first}::jsonb)
     ${wins} RETURNING id),
  ${entryCtes(first + 1, 'SELECT id FROM message')}`;

const whoeverAsks = (flush: boolean): string => `WITH ${insertSql(1, flush, '')} SELECT`;
const whoeverClaims = (flush: boolean): string => `
  WITH claimed AS (${claimSql}),
  ${insertSql(4, flush, 'WHERE id IN (SELECT message_id FROM claimed)')}
  SELECT key, message_id, receipt_id FROM claimed`;

const [insertFlushed, insertUnflushed] = [whoeverAsks(true), whoeverAsks(false)];
const [claimFlushed, claimUnflushed] = [whoeverClaims(true), whoeverClaims(false)];

const jsonOf = ({ messages, entries }: NewRows): string[] => [messages, entries].map(storableJson);

/** @param told a caller is told that the rows are committed, so they have to be on disk by then */
export async function insertRows(tx: Queryable, rows: NewRows, told: boolean): Promise<void> {
  if (rows.messages.length === 0) return;
  await tx.query(told ? insertFlushed : insertUnflushed, jsonOf(rows));
}

/** Claims the drafts' keys and inserts the rows of those that won, in one statement. @returns as `claim` */
export function claimAndInsert(
  db: Queryable,
  drafts: Draft[],
  rows: NewRows,
  told: boolean,
): Promise<(Claimed | null)[]> {
  const json = jsonOf(rows);
  return claim(db, drafts, (claims) => db.query(told ? claimFlushed : claimUnflushed, [...claims, ...json]));
}
