import { Liveness, Sweeping } from '#libs/database';
import { Journal } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { EndpointService } from '../endpoints/endpoint.service.js';
import type { IngressSettings } from '../env.js';
import { RefusalRepository } from '../refusals/refusal.repository.js';
import { SETTINGS } from '../settings.js';
import { ReceiptRepository } from './receipt.repository.js';
import { StaleReceipts } from './stale-receipts.js';

const sweepEveryMs = 2_000;
const sweepBatch = 1_000;
const partitionsEveryMs = 3_600_000;

/**
 * Custody of receipts: enqueues each one, and enqueues it again until it has ended. The journal says what has ended, so
 * a receipt is written once and never updated.
 */
@Injectable()
export class ReceiptService extends Sweeping {
  constructor(
    private readonly receipts: ReceiptRepository,
    private readonly staleReceipts: StaleReceipts,
    endpoints: EndpointService,
    private readonly journal: Journal,
    losses: Liveness,
    private readonly refusals: RefusalRepository,
    @Inject(SETTINGS) { RETENTION_DAYS: retentionDays }: IngressSettings,
  ) {
    super();
    const every = (everyMs: number, name: string, sweep: (limit: number) => Promise<number>) =>
      this.sweepEvery({ name, everyMs, batch: sweepBatch, sweep });
    this.sweepEvery({
      name: 'receipts',
      everyMs: sweepEveryMs,
      batch: sweepBatch,
      losses,
      afterLoss: () => this.staleReceipts.findAfterLoss(),
      sweep: async (limit) => Math.max(await this.staleReceipts.find(limit), await this.staleReceipts.enqueue(limit)),
    });
    every(partitionsEveryMs, 'receipt-partitions', async () => {
      await this.receipts.turnPartitions(retentionDays);
      await this.journal.turnPartitions(retentionDays);
      return 0;
    });
    every(partitionsEveryMs, 'old-refusals', (limit) => this.refusals.deleteOld(retentionDays, limit));
    endpoints.onResumed((appId) => void this.receipts.expediteStale(appId).catch(() => undefined));
  }
}
