import type { Queryable } from '#libs/database';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { MessageRow } from './message.entity.js';
import { storable } from './storable.js';

/** New rows; each is whole, as its table has it. */
export interface NewRows {
  messages: MessageRow[];
  runs: RunRow[];
  turns: TurnRow[];
}

// One statement: three would be two round trips more, with the locks of a batch held meanwhile.
const insertAll = `
  WITH message AS (
    INSERT INTO router.message SELECT * FROM jsonb_populate_recordset(NULL::router.message, $1::jsonb)),
  run AS (
    INSERT INTO router.run SELECT * FROM jsonb_populate_recordset(NULL::router.run, $2::jsonb))
  INSERT INTO router.turn SELECT * FROM jsonb_populate_recordset(NULL::router.turn, $3::jsonb)`;

export async function insertRows(tx: Queryable, { messages, runs, turns }: NewRows): Promise<void> {
  if (messages.length + runs.length + turns.length === 0) return;
  await tx.query(insertAll, [storable(messages), storable(runs), storable(turns)]);
}
