import { turnRun } from '#libs/contracts';
import { Liveness, Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { AbandonedTurnRepository } from './abandoned-turn.repository.js';

const sweepBatch = 200;

/** Republishes turns whose process died or whose retry Redis lost. */
@Injectable()
export class TurnSweeper extends Sweeping {
  constructor(
    private readonly turns: AbandonedTurnRepository,
    private readonly jobClient: JobClient,
    private readonly losses: Liveness,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'turns',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      losses,
      afterLoss: () => turns.takeFromGone(),
      sweep: (limit) => this.sweep(limit),
    });
  }

  private async sweep(limit: number): Promise<number> {
    const { SWEEP_AFTER_MS: afterMs } = this.settings;
    const behindMs = await this.jobClient.behindMs(turnRun.queue);
    const waitedMs = Math.min(afterMs, this.losses.sinceLossMs) + behindMs;
    const abandoned = await this.turns.take(limit, afterMs + behindMs, waitedMs);
    await Promise.all(abandoned.map((payload) => this.jobClient.enqueue(turnRun, payload)));
    return abandoned.length;
  }
}
