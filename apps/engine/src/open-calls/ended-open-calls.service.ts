import { Sweeping } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { OpenCall } from '../entities/open-call.entity.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { McpCallService } from './mcp-calls.service.js';
import { OpenCallRepository } from './open-call.repository.js';

const sweepBatch = 50;

/** Ends calls that wait no longer: their result is stored, or their turn has ended. A task that nobody waits for is cancelled. */
@Injectable()
export class EndedOpenCalls extends Sweeping {
  constructor(
    private readonly rows: OpenCallRepository,
    private readonly calls: McpCallService,
    @Inject(SETTINGS) settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'ended-open-calls',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: async (limit) => {
        const over = await rows.over(limit);
        const ended = await Promise.all(over.map((open) => this.end(open)));
        return ended.filter(Boolean).length;
      },
    });
  }

  /** @returns false: its server could not be told, and it is told again */
  private async end(open: OpenCall): Promise<boolean> {
    if (open.task_id !== null && (await this.rows.isAbandoned(open))) {
      try {
        await this.calls.cancelTask(open);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (error.status >= 500) return false;
      }
    }
    await this.rows.end(open.id);
    return true;
  }
}
