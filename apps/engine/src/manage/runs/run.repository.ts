import { eventAwaitedCode, newId, type Order, type ProjectScope } from '#libs/contracts';
import { Database, keyset, storableJson } from '#libs/database';
import { noteTurnRetried } from '#libs/journal';
import { type ListRead, ListReads } from '#libs/list-reads';
import { type KeyedRequest, once, type Principal, Problem } from '#libs/service-kit';
import type { RunRow } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Turn } from '../../entities/turn.entity.js';

const awaits = `(t.state = 'queued' AND t.reason = '${eventAwaitedCode}')`;
const waits = `(t.state = 'queued' AND t.blocked_since IS NOT NULL OR ${awaits})`;
/** When it ends without its event. */
const awaitedUntil = `(SELECT (w.input ->> 'until')::timestamptz FROM engine.workflow_step w
   WHERE w.turn_id = t.id AND w.kind = 'wait' AND w.state = 'waiting')`;

/** Runs in the state of their last turns. `$1`: how long a turn waits for something that is away, in ms. */
const runs = `
  SELECT t.run_id AS id, t.organization_id, t.project_id, t.workflow_id, t.trigger_id, t.message_id, t.receipt_id, t.replay,
         coalesce((t.input ->> 'rehearsal')::boolean, false) AS rehearsal, t.replay_of,
         CASE WHEN t.state = 'held' THEN 'suspended' WHEN ${waits} THEN 'waiting'
              WHEN t.state = 'failed' AND t.reason IN ('cancelled', 'discarded') THEN 'cancelled'
              WHEN t.state = 'failed' AND t.reason = 'turn_timeout' THEN 'timed_out' ELSE t.state END AS state,
         CASE t.state WHEN 'failed' THEN t.reason END AS error,
         CASE t.state WHEN 'succeeded' THEN t.reply END AS reply,
         CASE WHEN t.state = 'succeeded' OR ${waits} THEN t.reason END AS reason,
         CASE WHEN ${awaits} THEN ${awaitedUntil} WHEN ${waits} THEN t.blocked_since + $1 * interval '1 millisecond' END AS waiting_until,
         (SELECT min(created_at) FROM engine.turn f WHERE f.project_id = t.project_id AND f.run_id = t.run_id) AS created_at,
         t.ended_at AS finished_at
    FROM engine.turn t
   WHERE t.run_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM engine.turn later
                      WHERE later.project_id = t.project_id AND later.run_id = t.run_id AND later.id > t.id)`;

/** A run is its last turn. A retried run has several. */
@Injectable()
export class RunRepository {
  constructor(
    private readonly db: Database,
    private readonly reads: ListReads,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async find({ organizationId, projectId }: ProjectScope, id: string): Promise<RunRow | null> {
    const where = 'AND t.run_id = $2 AND t.organization_id = $3 AND t.project_id = $4';
    return (await this.select(where, [id, organizationId, projectId]))[0] ?? null;
  }

  /** Runs of a receipt's message, oldest first. */
  ofReceipt({ organizationId, projectId }: ProjectScope, receiptId: string): Promise<RunRow[]> {
    const where = 'AND t.receipt_id = $2 AND t.organization_id = $3 AND t.project_id = $4 ORDER BY t.run_id';
    return this.select(where, [receiptId, organizationId, projectId]);
  }

  /** May lag. */
  list(
    caller: Principal,
    filter: { workflowId: number | null; state: string | null; cursor: string | null; order: Order; limit: number },
  ): Promise<ListRead<RunRow[]>> {
    const { after } = keyset('t.run_id', '$5', filter.order);
    const { organizationId, projectId } = caller;
    return this.reads.read('runs', caller, (db) =>
      db.query<RunRow[]>(
        `SELECT * FROM (${runs} AND t.organization_id = $2 AND t.project_id = $3 AND ($4::integer IS NULL OR t.workflow_id = $4)
          AND ${after}) r
        WHERE $6::text IS NULL OR state = $6 ORDER BY ${keyset('id', '$5', filter.order).by} LIMIT $7`,
        [
          this.settings.TURN_WAIT_MS,
          organizationId,
          projectId,
          filter.workflowId,
          filter.cursor,
          filter.state,
          filter.limit,
        ],
      ),
    );
  }

  /** All turns that a receipt's messages started, oldest first. */
  async turnsOfReceipt({ organizationId, projectId }: ProjectScope, receiptId: string): Promise<Turn[]> {
    const sql = `SELECT * FROM engine.turn WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3 AND called_by IS NULL
        ORDER BY id`;
    return (await this.db.query(sql, [receiptId, organizationId, projectId])) as Turn[];
  }

  /** The turns of a run, oldest first. */
  async turns({ organizationId, projectId }: ProjectScope, runId: string): Promise<Turn[]> {
    const sql = 'SELECT * FROM engine.turn WHERE run_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY id';
    return (await this.db.query(sql, [runId, organizationId, projectId])) as Turn[];
  }

  /**
   * Queues a failed run again: a new turn with the last turn's input, since the old turn has ended.
   * @returns the failed turn and the new one, or null when this key has already been used for it
   * @throws Problem 409 `run_not_failed`; 422 `idempotency_key_reused`
   */
  retry(
    { id, project_id, state }: RunRow,
    by: string,
    asked: KeyedRequest | null,
  ): Promise<{ last: Turn; next: Turn } | null> {
    return this.db.transaction(async (tx) => {
      let made: { last: Turn; next: Turn } | null = null;
      await once(tx, 'engine', asked, async () => {
        const [last] = (await tx.query(
          'SELECT * FROM engine.turn WHERE project_id = $1 AND run_id = $2 ORDER BY id DESC LIMIT 1 FOR UPDATE',
          [project_id, id],
        )) as Turn[];
        if (last?.state !== 'failed') {
          const detail = `The run ${id} is ${state}. Only a failed run can be retried; one that succeeded can be replayed.`;
          throw new Problem(409, 'run_not_failed', detail);
        }
        // The run continues in another turn, so this turn's dead letter must not be redriven.
        await noteTurnRetried(tx, last, by);
        const input = last.input && {
          ...last.input,
          started_by: [...new Set([...(last.input.started_by ?? []), by])],
        };
        const rows = (await tx.query(
          `INSERT INTO engine.turn (id, organization_id, project_id, app_id, receipt_id, message_id, run_id, workflow_id, trigger_id,
             replay, replay_of, agent_id, epoch, input)
           SELECT $2, organization_id, project_id, app_id, receipt_id, message_id, run_id, workflow_id, trigger_id,
             replay, replay_of, agent_id, 0, $3::jsonb FROM engine.turn WHERE id = $1
           RETURNING *`,
          [last.id, newId('trn'), storableJson(input)],
        )) as Turn[];
        const [next] = rows;
        if (next) made = { last, next };
        return { turn_id: next?.id };
      });
      return made;
    });
  }

  private async select(where: string, parameters: unknown[]): Promise<RunRow[]> {
    return (await this.db.query(`${runs} ${where}`, [this.settings.TURN_WAIT_MS, ...parameters])) as RunRow[];
  }
}
