import { turnRun } from '#libs/contracts';
import { Liveness, Sweeping } from '#libs/database';
import { JobClient, permanentCode, type PermanentFailure, RunLater } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { Suspects } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type Turn, turnJobOf } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { TurnJobService } from './turn-job.service.js';
import { TurnRepository } from './turn.repository.js';
import { turnSettlement } from './turn.verdict.js';

const sweepBatch = 200;

/**
 * Republishes turns whose retry Redis lost or whose lease is over. Turns whose engine died are tried alone, and one that
 * kills its engine is dead.
 */
@Injectable()
export class TurnSweeper extends Sweeping {
  private readonly suspects: Suspects<Turn>;

  constructor(
    private readonly turns: TurnRepository,
    private readonly service: TurnJobService,
    private readonly jobs: JobClient,
    private readonly losses: Liveness,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    this.suspects = new Suspects({
      name: 'turn',
      work: turns.work,
      losses,
      settings,
      metrics,
      retry: (turn) => this.retry(turn),
      end: (turn, why) => this.end(turn, why),
    });
    this.sweepEvery({
      name: 'turns',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      losses,
      afterLoss: () => this.suspects.freeGone(),
      sweep: (limit) => this.sweep(limit),
    });
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.suspects.start();
  }

  override async onModuleDestroy(): Promise<void> {
    await Promise.all([super.onModuleDestroy(), this.suspects.stop()]);
  }

  private async sweep(limit: number): Promise<number> {
    const { SWEEP_AFTER_MS: afterMs } = this.settings;
    const behindMs = await this.jobs.behindMs(turnRun.queue);
    const waitedMs = Math.min(afterMs, this.losses.sinceLossMs) + behindMs;
    // After a loss a job is missed at once. A lease may be over because its holder could not reach Postgres either.
    const abandoned = await this.turns.work.overdue(waitedMs, limit, afterMs + behindMs);
    await Promise.all(abandoned.map((turn) => this.jobs.enqueue(turnRun, turnJobOf(turn))));
    // They stay overdue until their job runs: another query now would only find the same rows.
    return 0;
  }

  /** What the job of a turn does, and what its queue does with the outcome. */
  private async retry(turn: Turn): Promise<void> {
    const payload = turnJobOf(turn);
    try {
      await this.service.runSuspect(payload, turn);
    } catch (error) {
      if (error instanceof RunLater) {
        const item = { payload: { ...payload }, attempts: 0, addedAtMs: Date.now() };
        // A sweep finds it if Redis does not take the job.
        return await this.jobs.republish(turnRun, item, error.delayMs).catch(() => undefined);
      }
      const code = permanentCode(error);
      if (code === null) throw error;
      await this.service.fail(payload, code, error instanceof Error ? error.message : String(error));
    }
  }

  private async end(turn: Turn, why: PermanentFailure): Promise<void> {
    await this.turns.release(turnSettlement(why, turn, this.settings));
    await this.service.fail(turnJobOf(turn), why.code, why.message);
  }
}
