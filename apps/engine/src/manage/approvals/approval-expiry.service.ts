import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ApprovalListRepository } from './approval-list.repository.js';
import { ApprovalService } from '../../path/approvals/approval.service.js';

const sweepBatch = 100;

/** Ends approvals that nobody has decided in time. */
@Injectable()
export class ApprovalExpiryService extends Sweeping {
  constructor(
    private readonly approvals: ApprovalListRepository,
    private readonly decisions: ApprovalService,
    @Inject(SETTINGS) settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'approvals',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: (limit) => this.expire(limit),
    });
  }

  private async expire(limit: number): Promise<number> {
    const overdue = await this.approvals.overdue(limit);
    for (const id of overdue) await this.decisions.expire(id);
    return overdue.length;
  }
}
