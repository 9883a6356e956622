import { inboundParse } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import { Feeder } from './feeder.js';
import { RefusalLog } from '../refusals/refusal.repository.js';
import { ReceiptRepository } from './receipt.repository.js';

export const receiptSettings = Symbol('receiptSettings');

export interface ReceiptSettings {
  leaseMs: number;
  retentionDays: number;
}

const sweepEveryMs = 2_000;
const sweepBatch = 1_000;
const partitionsEveryMs = 3_600_000;

/**
 * Custody of receipts: wakes the gateway for each, and again for each that has not ended. What has ended is known from
 * the journal, so that a receipt is written once and never updated.
 */
@Injectable()
export class ReceiptsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sweepers: Sweeper[];

  constructor(
    @Inject(ReceiptRepository) private readonly receipts: ReceiptRepository,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(Feeder) private readonly feeder: Feeder,
    @Inject(EndpointsService) private readonly endpoints: EndpointsService,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(RefusalLog) private readonly refusals: RefusalLog,
    @Inject(receiptSettings) private readonly settings: ReceiptSettings,
  ) {
    const sweeper = (name: string, everyMs: number, sweep: (limit: number) => Promise<number>): Sweeper =>
      new Sweeper({ name, everyMs, batch: sweepBatch, sweep });
    this.sweepers = [
      sweeper('receipts', sweepEveryMs, (limit) => this.findStragglers(limit)),
      sweeper('stragglers', sweepEveryMs, (limit) => this.wakeStragglers(limit)),
      sweeper('receipt-partitions', partitionsEveryMs, async () => {
        await this.receipts.turnPartitions(this.settings.retentionDays);
        await this.journal.turnPartitions(this.settings.retentionDays);
        return 0;
      }),
      sweeper('old-refusals', partitionsEveryMs, (limit) =>
        this.refusals.deleteOld(this.settings.retentionDays, limit),
      ),
    ];
    endpoints.onResumed((appId) => void this.receipts.hurryStragglers(appId).catch(() => undefined));
  }

  onApplicationBootstrap(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }

  private async findStragglers(limit: number): Promise<number> {
    const ageMs = (await this.jobs.sweepAfterMs(inboundParse.queue, this.settings.leaseMs)) + this.feeder.oldestMs;
    return this.receipts.advanceSweep(ageMs, limit, async (ids) => {
      const ended = await this.journal.endedAmong(ids);
      return ids.filter((id) => !ended.has(id));
    });
  }

  private async wakeStragglers(limit: number): Promise<number> {
    const due = await this.receipts.takeStragglers(Math.max(0, Math.min(limit, this.feeder.room)));
    if (due.length === 0) return 0;
    const ended = await this.journal.endedAmong(due.map((straggler) => straggler.receipt_id));
    await this.receipts.forgetStragglers([...ended]);
    const open = due
      .filter((straggler) => !ended.has(straggler.receipt_id))
      .filter((straggler) => this.endpoints.get(straggler.app_id)?.state !== 'paused');
    const receipts = await this.receipts.findAll(open.map((straggler) => straggler.receipt_id));
    await Promise.all(receipts.map((receipt) => this.feeder.wake(receipt)));
    return due.length;
  }
}
