import { noteTurnRetried } from '#libs/journal';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { type KeyedRequest, once } from '../requests/once.js';
import { insertRows } from '../routing/insert-rows.js';
import { newTurn } from '../routing/plan.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { RunRow } from './run.entity.js';

@Injectable()
export class RunRepository {
  constructor(@InjectRepository(RunRow) private readonly rows: Repository<RunRow>) {}

  find(organizationId: string, projectId: string, id: string): Promise<RunRow | null> {
    return this.rows.findOneBy({ id, organization_id: organizationId, project_id: projectId });
  }

  /**
   * Queues a run anew that did not succeed: its last turn's input in a new turn, since the engine is done with the old one.
   * @returns its turn, or none when it was done under the key before
   * @throws Problem 409 `run_not_failed`; 422 `idempotency_key_reused`
   */
  retry({ id, project_id, state }: RunRow, by: string, asked: KeyedRequest | null): Promise<TurnRow[]> {
    return this.rows.manager.transaction(async (tx) => {
      const turns: TurnRow[] = [];
      await once(tx, asked, async () => {
        const turn = await retryIn(tx, project_id, id, by);
        if (!turn) {
          const detail = `The run ${id} is ${state}: retry what failed, replay what succeeded.`;
          throw new Problem(409, 'run_not_failed', detail);
        }
        turns.push(turn);
        return { turn_id: turn.id };
      });
      return turns;
    });
  }

  /** The first runs of a message, without its replays. */
  ofMessage(organizationId: string, messageId: string): Promise<RunRow[]> {
    return this.rows.findBy({ organization_id: organizationId, message_id: messageId, replay: false });
  }

  ofReceipt(organizationId: string, receiptId: string): Promise<RunRow[]> {
    return this.rows.find({ where: { organization_id: organizationId, receipt_id: receiptId }, order: { id: 'ASC' } });
  }

  list(
    organizationId: string,
    projectId: string,
    filter: { workflowId: number | null; state: string | null; cursor: string | null; limit: number },
  ): Promise<RunRow[]> {
    const query = this.rows
      .createQueryBuilder('run')
      .where('run.organization_id = :organizationId AND run.project_id = :projectId', { organizationId, projectId })
      .orderBy('run.id', 'DESC')
      .limit(filter.limit);
    if (filter.workflowId) query.andWhere('run.workflow_id = :workflowId', { workflowId: filter.workflowId });
    if (filter.state) query.andWhere('run.state = :state', { state: filter.state });
    if (filter.cursor) query.andWhere('run.id < :cursor', { cursor: filter.cursor });
    return query.getMany();
  }
}

async function retryIn(tx: EntityManager, projectId: string, id: string, by: string): Promise<TurnRow | null> {
  const queued: unknown = await tx.query(
    `UPDATE router.run SET state = 'queued', error = NULL, reply = NULL, reason = NULL, finished_at = NULL
      WHERE id = $1 AND project_id = $2 AND state IN ('failed', 'cancelled', 'timed_out') RETURNING id`,
    [id, projectId],
  );
  if ((queued as [unknown[], number])[1] === 0) return null;
  const [last] = (await tx.query('SELECT * FROM router.turn WHERE run_id = $1 ORDER BY id DESC LIMIT 1', [
    id,
  ])) as TurnRow[];
  if (!last) return null;
  // The run goes on in another turn: the letter of this one is not redriven any more.
  await noteTurnRetried(tx, last, by);
  const part = { run_id: id, agent_id: last.agent_id, state: 'open' } as const;
  const started_by = [...new Set([...(last.input.started_by ?? []), by])];
  const turn = newTurn({ ...last, messageId: last.message_id }, { ...last.input, started_by }, part);
  await insertRows(tx, { messages: [], runs: [], turns: [turn], entries: [] }, true);
  return turn;
}
