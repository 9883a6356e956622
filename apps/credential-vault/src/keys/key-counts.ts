import { Metrics } from '#libs/service-kit';
import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { KekSentinelRepository } from '../sealing/kek-sentinel.repository.js';

/** Scrapes count the tables at most this often. */
const freshMs = 15_000;

/** `gatehouse_vault_deks{kid}`: what is left of a rotation, and whether a key may be retired. */
@Injectable()
export class KeyCounts {
  private readonly logger = new Logger('keys');
  private readAtMs = 0;

  constructor(
    private readonly sentinels: KekSentinelRepository,
    metrics: Metrics,
  ) {
    const gauge: Gauge<'kid'> = new Gauge({
      name: 'gatehouse_vault_deks',
      help: 'Data keys by the KEK that wraps them',
      labelNames: ['kid'],
      registers: [metrics.registry],
      collect: () => this.refresh(gauge),
    });
  }

  private async refresh(gauge: Gauge<'kid'>): Promise<void> {
    if (Date.now() - this.readAtMs < freshMs) return;
    this.readAtMs = Date.now();
    try {
      const counts = await this.sentinels.countByKid();
      gauge.reset();
      for (const [kid, deks] of counts) gauge.set({ kid }, deks);
    } catch (error) {
      this.logger.warn({ event: 'keys.not_counted', reason: String(error) });
    }
  }
}
