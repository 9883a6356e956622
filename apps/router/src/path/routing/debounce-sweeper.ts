import { Database, type Queryable, Sweeping } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { Clock } from '../guards/loop-breaker.js';
import { TurnHandover, type WholeTurn } from '../handover/turn-handover.service.js';

const dueEveryMs = 500;
const forgetEveryMs = 3_600_000;

/** Starts the runs that waited long enough for more messages, and deletes limit counts of past windows. */
@Injectable()
export class DebounceSweeper extends Sweeping {
  constructor(
    private readonly db: Database,
    private readonly handover: TurnHandover,
    private readonly clock: Clock,
  ) {
    super();
    this.sweepEvery({ name: 'debounce', everyMs: dueEveryMs, batch: 200, sweep: (limit) => this.open(limit) });
    this.sweepEvery({ name: 'trigger-windows', everyMs: forgetEveryMs, batch: 1, sweep: () => this.forget() });
  }

  private async open(limit: number): Promise<number> {
    if (!(await anyDue(this.db, this.clock.nowMs()))) return 0;
    const turns = await this.db.transaction(async (tx) => {
      const due = await takeDue(tx, this.clock.nowMs(), limit);
      await this.handover.keep(tx, due);
      return due;
    });
    this.handover.enqueue(turns);
    return turns.length;
  }

  private async forget(): Promise<number> {
    await forgetWindows(this.db);
    return 0;
  }
}

/** Whether any turn has waited long enough: checked often and usually in vain, so without a transaction. */
async function anyDue(db: Queryable, nowMs: number): Promise<boolean> {
  const rows = (await db.query('SELECT 1 FROM router.debounce WHERE due_at <= $1 LIMIT 1', [
    new Date(nowMs),
  ])) as unknown[];
  return rows.length > 0;
}

/** Takes the turns that waited long enough; one whose workflow was suspended meanwhile continues to wait for that. */
async function takeDue(tx: Queryable, nowMs: number, limit: number): Promise<WholeTurn[]> {
  const due: unknown = await tx.query(
    `DELETE FROM router.debounce WHERE (trigger_id, scope) IN (
       SELECT trigger_id, scope FROM router.debounce WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING turn, (
       SELECT w.updated_at FROM router.workflow w WHERE w.project_id = turn ->> 'project_id'
          AND w.id = (turn -> 'run' ->> 'workflow_id')::integer AND w.status = 'suspended') AS suspended_at`,
    [new Date(nowMs), limit],
  );
  const rows = (due as [{ turn: WholeTurn; suspended_at: Date | null }[], number])[0];
  return rows.map(({ turn: { held: _held, ...turn }, suspended_at }) =>
    suspended_at ? { ...turn, held: { until: 'workflow', at: suspended_at.toISOString() } } : turn,
  );
}

/** Discards what waits for more messages for the runs of a workflow. */
export async function discardDebounced(tx: Queryable, projectId: string, workflowId: number): Promise<void> {
  await tx.query(
    `DELETE FROM router.debounce WHERE turn ->> 'project_id' = $1 AND (turn -> 'run' ->> 'workflow_id')::integer = $2`,
    [projectId, workflowId],
  );
}

/** Deletes windows that are over. */
async function forgetWindows(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM router.trigger_window WHERE starts_at < now() - interval '1 day'`);
}
