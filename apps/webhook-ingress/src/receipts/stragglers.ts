import { inboundParse, messageRoute } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import { Feeder } from './feeder.js';
import { ReceiptRepository } from './receipt.repository.js';

export const stragglerSettings = Symbol('stragglerSettings');

export interface StragglerSettings {
  /** How long a hop may take before its receipt counts as one that was lost. */
  leaseMs: number;
}

/**
 * Finds receipts that have not ended, and wakes the gateway for them again. What still waits in a queue is late, not
 * lost: waking it again would only have it parsed twice, so both steps look past it.
 */
@Injectable()
export class Stragglers {
  constructor(
    @Inject(ReceiptRepository) private readonly receipts: ReceiptRepository,
    @Inject(JobClient) private readonly jobs: Pick<JobClient, 'behindMs'>,
    @Inject(Feeder) private readonly feeder: Feeder,
    @Inject(EndpointsService) private readonly endpoints: Pick<EndpointsService, 'get'>,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(stragglerSettings) private readonly settings: StragglerSettings,
  ) {}

  /** Moves the sweep's mark on. @returns how many receipts it looked at */
  async find(limit: number): Promise<number> {
    const { parseMs, routeMs } = await this.behind();
    const { leaseMs } = this.settings;
    return this.receipts.advanceSweep(leaseMs + parseMs + routeMs, leaseMs, limit, async (ids, tx) => {
      const ended = await this.journal.endedAmong(ids, tx);
      return ids.filter((id) => !ended.has(id));
    });
  }

  /** @returns how many receipts were due, woken or not */
  async wake(limit: number): Promise<number> {
    const { parseMs, routeMs } = await this.behind();
    const most = Math.max(0, Math.min(limit, this.feeder.room));
    const due = await this.receipts.takeStragglers(most, parseMs + routeMs);
    if (due.length === 0) return 0;
    const ids = due.map((straggler) => straggler.receipt_id);
    const ended = await this.journal.endedAmong(ids);
    await this.receipts.forgetStragglers([...ended]);
    const underWay = await this.journal.heardOfWithin(ids, this.settings.leaseMs + routeMs);
    const lost = due
      .filter(({ receipt_id: id }) => !ended.has(id) && !underWay.has(id))
      .filter((straggler) => this.endpoints.get(straggler.app_id)?.state !== 'paused');
    const receipts = await this.receipts.findAll(lost.map((straggler) => straggler.receipt_id));
    await Promise.all(receipts.map((receipt) => this.feeder.wake(receipt)));
    return due.length;
  }

  /** How far the gateway and the router are behind, in ms. A receipt ends at the router, so both queues count. */
  private async behind(): Promise<{ parseMs: number; routeMs: number }> {
    const [inboundMs, routeMs] = await Promise.all([
      this.jobs.behindMs(inboundParse.queue),
      this.jobs.behindMs(messageRoute.queue),
    ]);
    return { parseMs: Math.max(inboundMs, this.feeder.oldestMs), routeMs };
  }
}
