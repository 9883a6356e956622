import { inboundParse } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { InboundWaitRepository } from './inbound.repository.js';

const deadKeptMs = 86_400_000;

/**
 * Republishes receipts that wait for an unregistered adapter: nothing else takes them, and their attempt dead-letters
 * them with a code. A receipt that is lost on the way is still in the custody of the ingress.
 */
@Injectable()
export class OrphanedWaits extends Sweeping {
  constructor(
    private readonly waits: InboundWaitRepository,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) { HEALTH_POLL_MS }: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'orphaned-waits',
      everyMs: HEALTH_POLL_MS,
      batch: 500,
      sweep: (limit) => this.republish(limit),
    });
  }

  private async republish(limit: number): Promise<number> {
    await this.waits.forgetDead(deadKeptMs);
    const jobs = await this.waits.removeOrphaned(limit);
    for (const job of jobs) void this.jobs.enqueue(inboundParse, job);
    return jobs.length;
  }
}
