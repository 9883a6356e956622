import { Database, type Transaction } from '#libs/database';
import { type DeadLetter, lettersBefore } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import type { SessionRow } from '../sessions/session.repository.js';
import type { TurnRow } from './turn.entity.js';
import { TurnsService } from './turns.service.js';

/** What has come of a redrive. `under_way`: the turn waits or runs. `gone`: the turn is no longer kept. */
export type TurnRedrive = { is: 'under_way' } | { is: 'gone' } | { is: 'ended'; outcome: string };

/**
 * Opens failed turns again. A redriven turn is the same turn: it goes on from the steps that it has, so that no call of it
 * whose outcome nobody knows is made again, and it sends one answer at most.
 */
@Injectable()
export class TurnRedrives {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(TurnsService) private readonly turns: TurnsService,
  ) {}

  /** Opens the turn of a letter, unless that was done; asked again, it says how far it has come. */
  async drive(letter: DeadLetter): Promise<TurnRedrive> {
    const done = await lettersBefore(this.db, letter);
    const { opened, stands } = await this.db.transaction((tx) => redrive(tx, letter, done));
    if (opened) this.turns.wake([opened]);
    return stands;
  }
}

interface Driven {
  /** The engine is to be asked for it. */
  opened: TurnRow | null;
  stands: TurnRedrive;
}

const underWay: TurnRedrive = { is: 'under_way' };

async function redrive(tx: Transaction, letter: DeadLetter, done: number): Promise<Driven> {
  const [turn] = (await tx.query(
    'SELECT * FROM router.turn WHERE id = $1 AND organization_id = $2 AND project_id = $3 FOR UPDATE',
    [letter.subject_id, letter.organization_id, letter.project_id],
  )) as TurnRow[];
  if (!turn) return { opened: null, stands: { is: 'gone' } };
  if (turn.state === 'open' || turn.state === 'waiting' || turn.state === 'held')
    return { opened: null, stands: underWay };
  if (turn.state !== 'failed') return { opened: null, stands: { is: 'ended', outcome: turn.state } };
  if (turn.redrives > done) return { opened: null, stands: { is: 'ended', outcome: 'dead' } };
  if (turn.run_id !== null && !(await queueRun(tx, turn.run_id))) {
    return { opened: null, stands: { is: 'ended', outcome: 'retried' } };
  }
  return { opened: await reopen(tx, turn), stands: underWay };
}

/** @returns false when the run goes on in another turn, or is no longer kept */
async function queueRun(tx: Transaction, runId: string): Promise<boolean> {
  const queued: unknown = await tx.query(
    `UPDATE router.run SET state = 'queued', error = NULL, reply = NULL, reason = NULL, finished_at = NULL
      WHERE id = $1 AND state IN ('failed', 'timed_out') RETURNING id`,
    [runId],
  );
  return (queued as [unknown[], number])[1] > 0;
}

/** @returns the turn where it may start now; null where it waits in the inbox of its session */
async function reopen(tx: Transaction, { id, session_id }: TurnRow): Promise<TurnRow | null> {
  const session = session_id === null ? undefined : await lockSession(tx, session_id);
  const waits = session !== undefined && (session.current_turn_id !== null || session.status === 'taken_over');
  const epoch = session && !waits ? session.epoch + 1 : null;
  const turns: unknown = await tx.query(
    `UPDATE router.turn SET state = $2, epoch = coalesce($3, epoch), redrives = redrives + 1, error = NULL, reply = NULL,
            reason = NULL, cancel_requested = false, finished_at = NULL, woken_at = now()
      WHERE id = $1 RETURNING *`,
    [id, waits ? 'waiting' : 'open', epoch],
  );
  if (waits) {
    await tx.query('INSERT INTO router.session_inbox (session_id, turn_id) VALUES ($1, $2)', [session_id, id]);
    return null;
  }
  if (session) {
    await tx.query(
      `UPDATE router.session SET current_turn_id = $2, epoch = $3, updated_at = now(),
              status = CASE status WHEN 'resolved' THEN 'active' ELSE status END WHERE id = $1`,
      [session_id, id, epoch],
    );
  }
  return (turns as [TurnRow[], number])[0][0] ?? null;
}

/** Locked until the turn waits or runs: a session that becomes free meanwhile would start nothing that is not there yet. */
async function lockSession(tx: Transaction, id: string): Promise<SessionRow | undefined> {
  const rows = (await tx.query('SELECT * FROM router.session WHERE id = $1 FOR UPDATE', [id])) as SessionRow[];
  return rows[0];
}
