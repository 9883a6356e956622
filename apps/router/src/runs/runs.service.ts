import { Database } from '#libs/database';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
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

  /** The same run once more, with the input and instructions that it had. @throws Problem 404; 409 `run_not_failed` */
  async retry(caller: Principal, id: string): Promise<RunRow> {
    const run = await this.get(caller, id);
    const turn = await this.runs.retry(caller.projectId, id);
    if (!turn) {
      throw new Problem(
        409,
        'run_not_failed',
        `The run ${id} is ${run.state}: retry what failed, replay what succeeded.`,
      );
    }
    this.turns.wake([turn]);
    return this.get(caller, id);
  }

  /**
   * A new run, linked to the first, by today's configuration of its workflow.
   * @throws Problem 404; 409 `workflow_gone` when it is off or deleted
   */
  async replay(caller: Principal, id: string, deliver: boolean): Promise<RunRow> {
    const run = await this.get(caller, id);
    const messages = (await this.db.query('SELECT * FROM router.message WHERE id = $1 AND project_id = $2', [
      run.message_id,
      caller.projectId,
    ])) as MessageRow[];
    const { run_ids: made } = await this.again.replay(caller, messages, {
      deliver,
      workflowId: run.workflow_id,
      replayOf: run.id,
    });
    const [runId] = made;
    if (runId === undefined)
      throw new Problem(409, 'workflow_gone', `The workflow ${run.workflow_id} is off: turn it on first.`);
    return this.get(caller, runId);
  }
}
