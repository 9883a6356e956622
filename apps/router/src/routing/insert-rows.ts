import { type Queryable, storableJson, withoutFlush } from '#libs/database';
import { entryCtes } from '#libs/journal';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { claim, type Claimed, claimSql } from './claim.js';
import type { Draft } from './draft.js';
import type { MessageRow } from './message.entity.js';

/** New rows; each is whole, as its table has it. */
export interface NewRows {
  messages: MessageRow[];
  runs: RunRow[];
  turns: TurnRow[];
  /** Of the journal, each with its message. */
  entries: Record<string, unknown>[];
}

// Named, so that a column that a later release adds gets its default from a router of this one.
const columnsOf = {
  message: `id, organization_id, project_id, app_id, receipt_id, verified, message, outcome, reason, verdicts, app_kind,
    contact_id, sanitizer_report, created_at, unlisted_verdicts, app_sends,
    chief_of_staff, reply_withheld, text_from`,
  run: `id, organization_id, project_id, workflow_id, trigger_id, message_id, receipt_id, replay, rehearsal, replay_of,
    state, created_at`,
  turn: `id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch, input, state,
    message_id, cancel_requested, woken_at, created_at`,
};

// One statement: three would be two round trips more, with the locks of a batch held meanwhile.
const insertSql = (first: number, flush: boolean, wins: (message: string) => string): string => {
  const insert = (table: keyof typeof columnsOf, index: number, message: string): string =>
    `INSERT INTO router.${table} (${columnsOf[table]})
     SELECT ${columnsOf[table]}
       FROM ${flush ? '' : `${withoutFlush}, `}jsonb_populate_recordset(NULL::router.${table}, $${first + index}::jsonb)
      ${wins(message)} RETURNING id`;
  return `message AS (${insert('message', 0, 'id')}),
    run AS (${insert('run', 1, 'message_id')}),
    turn AS (${insert('turn', 2, 'message_id')}),
    ${entryCtes(first + 3, 'SELECT id FROM message')}`;
};

const whoeverAsks = (flush: boolean): string => `WITH ${insertSql(1, flush, () => '')} SELECT`;
const whoeverClaims = (flush: boolean): string => `
  WITH claimed AS (${claimSql}),
  ${insertSql(4, flush, (message) => `WHERE ${message} IN (SELECT message_id FROM claimed)`)}
  SELECT key, message_id, receipt_id FROM claimed`;

const [insertFlushed, insertUnflushed] = [whoeverAsks(true), whoeverAsks(false)];
const [claimFlushed, claimUnflushed] = [whoeverClaims(true), whoeverClaims(false)];

const jsonOf = ({ messages, runs, turns, entries }: NewRows): string[] =>
  [messages, runs, turns, entries].map(storableJson);

/** @param told somebody is told that they are committed, so that they have to be on the disk by then */
export async function insertRows(tx: Queryable, rows: NewRows, told: boolean): Promise<void> {
  if (rows.messages.length + rows.runs.length + rows.turns.length === 0) return;
  await tx.query(told ? insertFlushed : insertUnflushed, jsonOf(rows));
}

/** Claims the keys of drafts and inserts the rows of those that won, at once. @returns as `claim` */
export function claimAndInsert(
  db: Queryable,
  drafts: Draft[],
  rows: NewRows,
  told: boolean,
): Promise<(Claimed | null)[]> {
  const json = jsonOf(rows);
  return claim(db, drafts, (claims) => db.query(told ? claimFlushed : claimUnflushed, [...claims, ...json]));
}
