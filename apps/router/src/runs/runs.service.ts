import { Database } from '#libs/database';
import { askerOf, notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { keyed } from '../requests/once.js';
import { RoutingAgain } from '../routing/again.service.js';
import type { MessageRow } from '../routing/message.entity.js';
import { TurnsService } from '../turns/turns.service.js';
import type { RunRow } from './run.entity.js';
import { RunRepository } from './run.repository.js';

/** What people do with runs. */
@Injectable()
export class RunsService {
  constructor(
    @Inject(RunRepository) private readonly runs: RunRepository,
    @Inject(TurnsService) private readonly turns: TurnsService,
    @Inject(RoutingAgain) private readonly again: RoutingAgain,
    @Inject(Database) private readonly db: Database,
  ) {}

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<RunRow> {
    const row = await this.runs.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('run', id);
    return row;
  }

  /** @throws Problem 404; 409 `run_ended` */
  async cancel(caller: Principal, id: string): Promise<RunRow> {
    const run = await this.get(caller, id);
    if (!(await this.turns.cancelRun(caller.projectId, id))) {
      throw new Problem(409, 'run_ended', `The run ${id} is ${run.state}: there is nothing to cancel.`);
    }
    return this.get(caller, id);
  }

  /**
   * The same run once more, with the input and instructions that it had.
   * @param key the caller's Idempotency-Key: under it the run is retried once
   * @throws Problem 404; 409 `run_not_failed`; 422 `idempotency_key_reused`
   */
  async retry(caller: Principal, id: string, key: string | null): Promise<RunRow> {
    const run = await this.get(caller, id);
    this.turns.wake(await this.runs.retry(run, askerOf(caller), keyed(caller, key, `retry ${id}`)));
    return this.get(caller, id);
  }

  /**
   * A new run, linked to the first, by today's configuration of its workflow.
   * @param key the caller's Idempotency-Key: the same key gives the same run
   * @throws Problem 404; 409 `workflow_gone` when it is off or deleted; 422 `idempotency_key_reused`
   */
  async replay(caller: Principal, id: string, deliver: boolean, key: string | null): Promise<RunRow> {
    const run = await this.get(caller, id);
    const messages = (await this.db.query('SELECT * FROM router.message WHERE id = $1 AND project_id = $2', [
      run.message_id,
      caller.projectId,
    ])) as MessageRow[];
    const { run_ids: made } = await this.again.replay(
      caller,
      messages,
      { deliver, workflowId: run.workflow_id, replayOf: run.id },
      keyed(caller, key, `run ${id} ${deliver}`),
    );
    const [runId] = made;
    if (runId === undefined)
      throw new Problem(409, 'workflow_gone', `The workflow ${run.workflow_id} is off: turn it on first.`);
    return this.get(caller, runId);
  }
}
