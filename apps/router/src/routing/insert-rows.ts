import { type Queryable, storableJson, withoutFlush } from '#libs/database';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { MessageRow } from './message.entity.js';

/** New rows; each is whole, as its table has it. */
export interface NewRows {
  messages: MessageRow[];
  runs: RunRow[];
  turns: TurnRow[];
}

// One statement: three would be two round trips more, with the locks of a batch held meanwhile.
const insertInto = (messages: string): string => `
  WITH message AS (INSERT INTO router.message SELECT message.* FROM ${messages}),
  run AS (INSERT INTO router.run SELECT * FROM jsonb_populate_recordset(NULL::router.run, $2::jsonb))
  INSERT INTO router.turn SELECT * FROM jsonb_populate_recordset(NULL::router.turn, $3::jsonb)`;

const messages = 'jsonb_populate_recordset(NULL::router.message, $1::jsonb) AS message';
const insertAll = insertInto(messages);
const insertAllUnflushed = insertInto(`${withoutFlush}, ${messages}`);

/** @param told somebody is told that they are committed, so that they have to be on the disk by then */
export async function insertRows(tx: Queryable, rows: NewRows, told: boolean): Promise<void> {
  if (rows.messages.length + rows.runs.length + rows.turns.length === 0) return;
  await tx.query(told ? insertAll : insertAllUnflushed, [rows.messages, rows.runs, rows.turns].map(storableJson));
}
