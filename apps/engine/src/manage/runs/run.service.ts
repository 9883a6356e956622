import type { ProjectScope, TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { askerOf, keyed, notFound, once, type Principal, Problem, ServiceClient } from '#libs/service-kit';
import type { RunRow } from '#libs/views';
import { Injectable } from '@nestjs/common';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { TurnEnqueuer } from '../../path/turns/start-next.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { RunRepository } from './run.repository.js';

/** What people can do with runs. */
@Injectable()
export class RunService {
  constructor(
    private readonly runs: RunRepository,
    private readonly turns: TurnRepository,
    private readonly cancellation: TurnCancellation,
    private readonly enqueuer: TurnEnqueuer,
    private readonly router: ServiceClient,
    private readonly db: Database,
  ) {}

  /** @throws Problem 404 */
  async get(caller: ProjectScope, id: string): Promise<RunRow> {
    const row = await this.runs.find(caller, id);
    if (!row) throw notFound('run', id);
    return row;
  }

  /** @throws Problem 404; 409 `run_ended` */
  async cancel(caller: Principal, id: string): Promise<RunRow> {
    const run = await this.get(caller, id);
    const last = (await this.runs.turns(caller, id)).at(-1);
    if (last?.held_for === 'messages') {
      await this.router.post(`/internal/debounced/${encodeURIComponent(last.id)}/forget`, caller, {});
    }
    if (!last || !(await this.cancellation.cancel(last))) {
      throw new Problem(409, 'run_ended', `The run ${id} is ${run.state}: there is nothing to cancel.`);
    }
    return this.get(caller, id);
  }

  /**
   * Repeats the run with the input and instructions that it had.
   * @param key the caller's Idempotency-Key, under which the run is retried once
   * @throws Problem 404; 409 `run_not_failed`; 422 `idempotency_key_reused`
   */
  async retry(caller: Principal, id: string, key: string | null): Promise<RunRow> {
    const run = await this.get(caller, id);
    const made = await this.runs.retry(run, askerOf(caller), keyed(caller, key, `retry ${id}`));
    if (made) {
      this.enqueuer.retried(made.last, made.next);
      this.enqueuer.go({ turns: [made.next], collected: [] });
    }
    return this.get(caller, id);
  }

  /**
   * Starts a new run, linked to the first, with the current configuration of its workflow, which the router knows.
   * @param key the caller's Idempotency-Key: the same key gives the same run
   * @throws Problem 404; 409 `workflow_gone` when it is off or deleted; 422 `idempotency_key_reused`; 503
   */
  async replay(caller: Principal, id: string, deliver: boolean, key: string | null): Promise<RunRow> {
    const run = await this.get(caller, id);
    const { run_id } = await this.db.transaction((tx) =>
      once(tx, 'engine', keyed(caller, key, `replay ${id} ${deliver}`), () => this.replayed(caller, run, deliver, key)),
    );
    return this.get(caller, run_id);
  }

  /** The router stores the key too. If this answer is lost, a repeated request gives the same run. */
  private async replayed(
    caller: Principal,
    run: RunRow,
    deliver: boolean,
    key: string | null,
  ): Promise<{ run_id: string }> {
    const { id, message_id, workflow_id } = run;
    const { turns, run_ids } = await this.router.post<{ turns: TurnRunPayload[]; run_ids: string[] }>(
      `/internal/messages/${encodeURIComponent(message_id)}/replay`,
      caller,
      { by: askerOf(caller), deliver, workflow_id, replay_of: id, key },
    );
    const [run_id] = run_ids;
    if (run_id === undefined)
      throw new Problem(409, 'workflow_gone', `The workflow ${workflow_id} is off: turn it on first.`);
    // The turns' jobs are on their way too. Storing the turns now lets the answer show the run.
    await this.turns.accept(turns);
    return { run_id };
  }
}
