import { Sweeper } from '#libs/database';
import { Journal } from '#libs/journal';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import { RefusalLog } from '../refusals/refusal.repository.js';
import { ReceiptRepository } from './receipt.repository.js';
import { Stragglers } from './stragglers.js';

export const receiptSettings = Symbol('receiptSettings');

export interface ReceiptSettings {
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
    @Inject(Stragglers) private readonly stragglers: Stragglers,
    @Inject(EndpointsService) endpoints: EndpointsService,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(RefusalLog) private readonly refusals: RefusalLog,
    @Inject(receiptSettings) private readonly settings: ReceiptSettings,
  ) {
    const sweeper = (name: string, everyMs: number, sweep: (limit: number) => Promise<number>): Sweeper =>
      new Sweeper({ name, everyMs, batch: sweepBatch, sweep });
    this.sweepers = [
      sweeper('receipts', sweepEveryMs, (limit) => this.stragglers.find(limit)),
      sweeper('stragglers', sweepEveryMs, (limit) => this.stragglers.wake(limit)),
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
}
