import type { ProjectScope } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import type { Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { lockSessions, type Started, startNext, TurnEnqueuer } from '../../path/turns/start-next.js';
import type { Turn } from '../../entities/turn.entity.js';
import { reopenSteps } from '../../path/steps/step.repository.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';

/** The result of a redrive. `under_way`: the turn waits or runs. `gone`: the turn is no longer kept. */
export type TurnRedrive = { is: 'under_way' } | { is: 'gone' } | { is: 'ended'; outcome: string };

/**
 * Opens failed turns again. A redriven turn is the same turn: it continues from its stored steps. So no call with an
 * unknown outcome is repeated, and it sends at most one answer.
 */
@Injectable()
export class TurnRedriveService {
  constructor(
    private readonly db: Database,
    private readonly enqueuer: TurnEnqueuer,
    private readonly turns: TurnRepository,
  ) {}

  /**
   * Opens a turn for one of its dead letters, once. A repeated request reports the progress.
   * @param done how many dead letters the turn had left before that one
   * @param by who asked for it: they do not decide over what the turn asks for then
   */
  async drive(scope: ProjectScope, id: string, done: number, by: string | null): Promise<TurnRedrive> {
    const { opened, stands } = await this.db.transaction((tx) => redrive(tx, this.turns.work, scope, id, done, by));
    if (opened) this.enqueuer.go(opened);
    return stands;
  }
}

interface Driven {
  /** Turns that may start now. */
  opened: Started | null;
  stands: TurnRedrive;
}

const inFlight: TurnRedrive = { is: 'under_way' };
const open = ['waiting', 'held', 'queued', 'running', 'waiting_approval'];

async function redrive(
  tx: Transaction,
  turns: Work<Turn>,
  { organizationId, projectId }: ProjectScope,
  id: string,
  done: number,
  by: string | null,
): Promise<Driven> {
  const ended = (outcome: string): Driven => ({ opened: null, stands: { is: 'ended', outcome } });
  const find = async (lock: string): Promise<Turn | undefined> =>
    (
      (await tx.query(`SELECT * FROM engine.turn WHERE id = $1 AND organization_id = $2 AND project_id = $3 ${lock}`, [
        id,
        organizationId,
        projectId,
      ])) as Turn[]
    )[0];
  const known = await find('');
  await lockSessions(tx, known?.session_id ? [known.session_id] : []);
  const turn = await find('FOR UPDATE');
  if (!turn) return { opened: null, stands: { is: 'gone' } };
  if (open.includes(turn.state)) return { opened: null, stands: inFlight };
  if (turn.state !== 'failed') return ended(turn.state);
  if (turn.reason === 'cancelled' || turn.reason === 'discarded') return ended('cancelled');
  if (turn.redrives > done) return ended('dead');
  if (turn.run_id !== null && (await wasRetried(tx, turn))) return ended('retried');
  return { opened: await reopen(tx, turns, turn, by), stands: inFlight };
}

/** Its run continues in another turn. */
async function wasRetried(tx: Transaction, { id, run_id, project_id }: Turn): Promise<boolean> {
  const later = 'SELECT FROM engine.turn WHERE project_id = $1 AND run_id = $2 AND id > $3 LIMIT 1';
  return ((await tx.query(later, [project_id, run_id, id])) as unknown[]).length > 0;
}

/** In a session it waits like any other turn, and may start at once. */
async function reopen(
  tx: Transaction,
  turns: Work<Turn>,
  { id, session_id, input }: Turn,
  by: string | null,
): Promise<Started> {
  const startedBy = [...new Set([...(input?.started_by ?? []), ...(by === null ? [] : [by])])];
  const rows: unknown = await tx.query(
    `UPDATE engine.turn SET ${turns.reopenSql('$2')}, redrives = redrives + 1, waits = 0, unreadable = 0, reason = NULL, reply = NULL,
            input = input || jsonb_build_object('started_by', $3::jsonb)
      WHERE id = $1 RETURNING *`,
    [id, session_id === null ? 'queued' : 'waiting', JSON.stringify(startedBy)],
  );
  await reopenSteps(tx, id);
  if (session_id === null) return { turns: (rows as [Turn[], number])[0], collected: [] };
  await tx.query(`UPDATE engine.session SET status = 'active' WHERE id = $1 AND status = 'resolved'`, [session_id]);
  return startNext(tx, [session_id]);
}
