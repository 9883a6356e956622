import { Sweeping } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { OpenCall } from '../entities/open-call.entity.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { McpCallService } from './mcp-calls.service.js';
import { OpenCallRepository } from './open-call.repository.js';

const sweepBatch = 50;
/** A server that is away is informed for so long after the time of its task is over. */
const reportMs = 600_000;

/**
 * Ends calls that wait no longer: their result is stored, or their turn has ended. A task that nobody waits for is
 * cancelled, and its server informed until it has heard of it.
 */
@Injectable()
export class EndedOpenCalls extends Sweeping {
  /** Where the last sweep ended, so that those whose servers are away hold up no others. */
  private after = '';

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
        const over = await rows.over(limit, this.after);
        this.after = over.length < limit ? '' : (over.at(-1)?.id ?? '');
        const ended = await Promise.all(over.map((open) => this.end(open)));
        return ended.filter(Boolean).length;
      },
    });
  }

  /** @returns false: its server could not be informed, and it is informed again */
  private async end(open: OpenCall): Promise<boolean> {
    const isReported = open.task_id === null || !(await this.rows.isAbandoned(open)) || (await this.report(open));
    if (isReported || open.expires_at.getTime() + reportMs <= Date.now()) await this.rows.end(open.id);
    else await this.rows.abandon(open.id);
    return isReported;
  }

  private async report(open: OpenCall): Promise<boolean> {
    try {
      return await this.calls.cancelTask(open);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return false;
    }
  }
}
