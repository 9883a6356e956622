import { Metrics } from '#libs/service-kit';
import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { WaitingReplyRepository } from './waiting-reply.repository.js';

/** Scrapes count the rows at most this often. */
const freshMs = 15_000;

/** `gatehouse_deliveries_waiting{reason}`: replies that wait to be sent again, of all projects; each replica says the same. */
@Injectable()
export class WaitingReplies {
  private readonly logger = new Logger('deliveries');
  private readAtMs = 0;

  constructor(
    private readonly rows: WaitingReplyRepository,
    metrics: Metrics,
  ) {
    const gauge: Gauge<'reason'> = new Gauge({
      name: 'gatehouse_deliveries_waiting',
      help: 'Replies that wait to be sent again, by the reason of the last attempt',
      labelNames: ['reason'],
      registers: [metrics.registry],
      collect: () => this.refresh(gauge),
    });
  }

  private async refresh(gauge: Gauge<'reason'>): Promise<void> {
    if (Date.now() - this.readAtMs < freshMs) return;
    this.readAtMs = Date.now();
    try {
      const counts = await this.rows.byReason();
      gauge.reset();
      for (const { reason, count } of counts) gauge.set({ reason }, count);
    } catch (error) {
      this.logger.warn({ event: 'delivery.waiting_not_counted', reason: String(error) });
    }
  }
}
