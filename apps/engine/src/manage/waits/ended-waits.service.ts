import { eventAwaitedCode, type ProjectScope, scopeOf, turnRun, type WaitHeard } from '#libs/contracts';
import { Database, Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type Turn, turnJobOf, type WorkflowStepRow } from '../../entities/turn.entity.js';
import { waitIdOf } from '../../path/turns/awaited-events.service.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';

const sweepBatch = 50;

/** What ends between a run that waits for an event and the router, whoever ends first. */
@Injectable()
export class EndedWaits extends Sweeping {
  constructor(
    private readonly db: Database,
    private readonly jobs: JobClient,
    private readonly router: ServiceClient,
    @Inject(SETTINGS) settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'ended-waits',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: (limit) => this.withdraw(limit),
    });
  }

  /** The router has decided a wait: its run goes on. */
  async heard({ organizationId, projectId }: ProjectScope, turnId: string, waitId: string): Promise<WaitHeard> {
    const turns = (await this.db.query(
      `WITH due AS (UPDATE engine.turn SET due_at = now()
         WHERE id = $1 AND organization_id = $2 AND project_id = $3 AND state = 'queued' AND reason = $4 RETURNING *)
       SELECT * FROM due`,
      [turnId, organizationId, projectId, eventAwaitedCode],
    )) as Turn[];
    for (const turn of turns) void this.jobs.enqueue(turnRun, turnJobOf(turn));
    if (turns.length > 0) return { is: 'woken' };
    const steps = (await this.db.query(
      `SELECT w.* FROM engine.workflow_step w JOIN engine.turn t ON t.id = w.turn_id
        WHERE t.id = $1 AND t.organization_id = $2 AND t.project_id = $3 AND t.state = 'running' AND w.state = 'waiting'`,
      [turnId, organizationId, projectId],
    )) as WorkflowStepRow[];
    // It may have asked before the wait was decided, and be about to give its lease back.
    return { is: steps.some((step) => waitIdOf(step) === waitId) ? 'busy' : 'over' };
  }

  /** Tells the router that runs have ended while they waited: no event is to be taken for them. */
  private async withdraw(limit: number): Promise<number> {
    const steps = (await this.db.query(
      `SELECT w.* FROM engine.workflow_step w JOIN engine.turn t ON t.id = w.turn_id
        WHERE w.kind = 'wait' AND w.blocked_since IS NOT NULL AND t.ended_at IS NOT NULL ORDER BY w.blocked_since LIMIT $1`,
      [limit],
    )) as WorkflowStepRow[];
    for (const step of steps) {
      await this.router.delete(`/internal/event-waits/${waitIdOf(step)}`, scopeOf(step));
      await this.db.query('UPDATE engine.workflow_step SET blocked_since = NULL WHERE id = $1', [step.id]);
    }
    return steps.length;
  }
}
