import { Batcher } from '#libs/batching';
import { type FinishedTurn, type ProgressedTurn, turnRun, type TurnRunPayload } from '#libs/contracts';
import { isRefusedRow, Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { RouterSettings } from '../env.js';
import { Clock } from '../guards/clock.js';
import type { KeyedRequest } from '../requests/once.js';
import { routerSettings } from '../settings.js';
import type { TurnRow } from './turn.entity.js';
import { TurnRepository } from './turn.repository.js';

const sweepEveryMs = 3_000;

/** Custody of turns: the engine is asked for each until it says that the turn ended. */
@Injectable()
export class TurnsService extends Sweeping {
  private readonly finished: Batcher<FinishedTurn[]>;

  constructor(
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(routerSettings) private readonly settings: RouterSettings,
  ) {
    super();
    // One at a time: the ends of one session's turns would otherwise wait for each other's locks.
    this.finished = new Batcher<FinishedTurn[]>(
      async (batch) => {
        this.wake(await this.turns.finish(batch.flat(), this.clock.nowMs()));
        return [];
      },
      { maxItems: 64, maxWaitMs: 0, maxRunning: 1, failsByItem: isRefusedRow },
    );
    this.sweepEvery({
      name: 'turns',
      everyMs: sweepEveryMs,
      batch: 500,
      sweep: (limit) => this.sweep(limit),
    });
  }

  /** Asks the engine; what Redis does not take is swept. */
  wake(turns: TurnRow[]): void {
    for (const turn of turns) void this.jobs.wake(turnRun, this.jobOf(turn));
  }

  async finish(turns: FinishedTurn[]): Promise<void> {
    await this.finished.add(turns);
  }

  /** Notes how turns of runs stand that are under way. */
  progress(turns: ProgressedTurn[]): Promise<void> {
    return this.turns.progress(turns);
  }

  /** Opens what waited for a suspended workflow. @returns how many turns */
  async release(projectId: string, workflowId: number): Promise<number> {
    const turns = await this.turns.release(projectId, workflowId);
    this.wake(turns);
    return turns.length;
  }

  /** Ends what waited for a suspended workflow, once under a caller's key. @returns how many runs */
  discard(projectId: string, workflowId: number, asked: KeyedRequest | null): Promise<number> {
    return this.turns.discard(projectId, workflowId, asked);
  }

  /** Cancels a run: at once while it waits, else as soon as the engine has stopped. @returns false when it is over */
  async cancelRun(projectId: string, runId: string): Promise<boolean> {
    const turn = await this.turns.cancelRun(projectId, runId);
    if (turn !== 'ended' && turn !== null) this.wake([turn]);
    return turn !== null;
  }

  /** Cancels the turn that a session is busy with. @returns its id, or null when there is none */
  async cancelTurnOf(projectId: string, sessionId: string): Promise<string | null> {
    const turn = await this.turns.cancelTurnOf(projectId, sessionId);
    if (turn) this.wake([turn]);
    return turn?.id ?? null;
  }

  private async sweep(limit: number): Promise<number> {
    const ageMs = await this.jobs.sweepAfterMs(turnRun.queue, this.settings.TURN_LEASE_MS);
    const overdue = await this.turns.overdue(ageMs, limit);
    this.wake(overdue);
    return overdue.length;
  }

  private jobOf(turn: TurnRow): TurnRunPayload {
    const inline = JSON.stringify(turn.input).length <= this.settings.INLINE_LIMIT_BYTES;
    return {
      turn_id: turn.id,
      organization_id: turn.organization_id,
      project_id: turn.project_id,
      app_id: turn.app_id,
      receipt_id: turn.receipt_id,
      run_id: turn.run_id,
      session_id: turn.session_id,
      agent_id: turn.agent_id,
      epoch: turn.epoch,
      ...(inline ? { input: turn.input } : {}),
      ...(turn.redrives > 0 ? { redrives: turn.redrives } : {}),
      ...(turn.cancel_requested ? { cancelled: true as const } : {}),
    };
  }
}
