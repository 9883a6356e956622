import { type Queryable, storableJson } from '#libs/database';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { MessageRow } from './message.entity.js';

export async function insertMessages(tx: Queryable, messages: MessageRow[]): Promise<void> {
  if (messages.length === 0) return;
  const column = <T>(of: (message: MessageRow) => T): T[] => messages.map(of);
  await tx.query(
    `INSERT INTO router.message (id, organization_id, project_id, app_id, receipt_id, verified, message, outcome, reason,
       verdicts, app_kind, contact_id, sanitizer_report, created_at, unlisted_verdicts)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[],
       $8::text[], $9::text[], $10::jsonb[], $11::text[], $12::text[], $13::jsonb[], $14::timestamptz[], $15::integer[])`,
    [
      column((message) => message.id),
      column((message) => message.organization_id),
      column((message) => message.project_id),
      column((message) => message.app_id),
      column((message) => message.receipt_id),
      column((message) => message.verified),
      column((message) => storableJson(message.message)),
      column((message) => message.outcome),
      column((message) => message.reason),
      column((message) => storableJson(message.verdicts)),
      column((message) => message.app_kind),
      column((message) => message.contact_id),
      column((message) => message.sanitizer_report && storableJson(message.sanitizer_report)),
      column((message) => message.created_at),
      column((message) => message.unlisted_verdicts),
    ],
  );
}

export async function insertRuns(tx: Queryable, runs: RunRow[]): Promise<void> {
  if (runs.length === 0) return;
  const column = <T>(of: (run: RunRow) => T): T[] => runs.map(of);
  await tx.query(
    `INSERT INTO router.run (id, organization_id, project_id, workflow_id, trigger_id, message_id, receipt_id, replay,
       replay_of, state, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[],
       $8::boolean[], $9::text[], $10::text[], $11::timestamptz[])`,
    [
      column((run) => run.id),
      column((run) => run.organization_id),
      column((run) => run.project_id),
      column((run) => run.workflow_id),
      column((run) => run.trigger_id),
      column((run) => run.message_id),
      column((run) => run.receipt_id),
      column((run) => run.replay),
      column((run) => run.replay_of),
      column((run) => run.state),
      column((run) => run.created_at),
    ],
  );
}

export async function insertTurns(tx: Queryable, turns: TurnRow[]): Promise<void> {
  if (turns.length === 0) return;
  const column = <T>(of: (turn: TurnRow) => T): T[] => turns.map(of);
  await tx.query(
    `INSERT INTO router.turn (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch,
       input, state, message_id, cancel_requested, woken_at, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::integer[], $10::jsonb[], $11::text[], $12::text[], $13::boolean[], $14::timestamptz[], $15::timestamptz[])`,
    [
      column((turn) => turn.id),
      column((turn) => turn.organization_id),
      column((turn) => turn.project_id),
      column((turn) => turn.app_id),
      column((turn) => turn.receipt_id),
      column((turn) => turn.run_id),
      column((turn) => turn.session_id),
      column((turn) => turn.agent_id),
      column((turn) => turn.epoch),
      column((turn) => storableJson(turn.input)),
      column((turn) => turn.state),
      column((turn) => turn.message_id),
      column((turn) => turn.cancel_requested),
      column((turn) => turn.woken_at),
      column((turn) => turn.created_at),
    ],
  );
}
