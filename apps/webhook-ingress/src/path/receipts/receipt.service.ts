import { Liveness, Sweeping } from '#libs/database';
import { HeldProjects } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { StaleReceiptRepository } from './stale-receipt.repository.js';
import { StaleReceipts } from './stale-receipts.js';

/**
 * Custody of receipts: enqueues each one, and enqueues it again until it has ended. The journal says what has ended, so
 * a receipt is written once and never updated.
 */
@Injectable()
export class ReceiptService extends Sweeping {
  constructor(
    rows: StaleReceiptRepository,
    stale: StaleReceipts,
    endpoints: EndpointService,
    losses: Liveness,
    holds: HeldProjects,
  ) {
    super();
    this.sweepEvery({
      name: 'receipts',
      everyMs: 2_000,
      batch: 1_000,
      losses,
      afterLoss: () => stale.findAfterLoss(),
      sweep: async (limit) => Math.max(await stale.find(limit), await stale.enqueue(limit)),
    });
    endpoints.onResumed((appId) => void rows.expediteStale([appId]).catch(() => undefined));
    holds.onReleased((projectId) => void rows.expediteStale(endpoints.appsOf(projectId)).catch(() => undefined));
  }
}
