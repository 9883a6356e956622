import { type InboundParsePayload, inboundParse } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';

/**
 * Receipts that wait for an adapter which was unregistered: nothing takes them, so they are sent again, and end by name.
 * One that is lost on the way is still in the custody of the ingress.
 */
@Injectable()
export class OrphanedWaits extends Sweeping {
  constructor(
    @InjectDataSource() private readonly db: DataSource,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(gatewaySettings) { HEALTH_POLL_MS }: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'orphaned-waits',
      everyMs: HEALTH_POLL_MS,
      batch: 500,
      sweep: (limit) => this.sendAgain(limit),
    });
  }

  private async sendAgain(limit: number): Promise<number> {
    const [rows] = await this.db.query<[{ job: InboundParsePayload }[], number]>(
      `DELETE FROM gateway.inbound_wait WHERE receipt_id IN (
         SELECT receipt_id FROM gateway.inbound_wait w
          WHERE NOT EXISTS (SELECT FROM gateway.adapter WHERE adapter.id = w.adapter_id) LIMIT $1)
       RETURNING job`,
      [limit],
    );
    for (const { job } of rows) void this.jobs.wake(inboundParse, job);
    return rows.length;
  }
}
