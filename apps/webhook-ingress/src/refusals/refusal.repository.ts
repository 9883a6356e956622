import { Batcher } from '#libs/batching';
import { type Endpoint, newId, type Order } from '#libs/contracts';
import { isRefusedRow, keyset } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Incoming } from '../request/incoming.js';
import { Refusal } from './refusal.entity.js';

/** Refusals beyond this many are dropped: an attack must not fill the memory, or flood the table. */
const maxPending = 1_000;

/** Keeps why requests were refused, without their bodies. */
@Injectable()
export class RefusalLog implements OnApplicationShutdown {
  private readonly logger = new Logger('refusals');
  private readonly batcher: Batcher<Refusal>;

  constructor(
    @InjectRepository(Refusal) private readonly rows: Repository<Refusal>,
    private readonly metrics: Metrics,
  ) {
    const together = { maxItems: 200, maxWaitMs: 50, maxRunning: 1, failsByItem: isRefusedRow };
    this.batcher = new Batcher((refusals) => this.write(refusals), together);
  }

  record(endpoint: Endpoint, incoming: Incoming, code: string, bodySha256: string): void {
    this.metrics.outcomes.inc({ stage: 'received', outcome: 'refused' });
    if (this.batcher.pending >= maxPending) return;
    const refusal = this.rows.create({
      id: newId('evt'),
      at: new Date(),
      organization_id: endpoint.organization_id,
      project_id: endpoint.project_id,
      app_id: endpoint.app_id,
      code,
      method: incoming.method,
      header_names: Object.keys(incoming.headers).sort().join(','),
      body_bytes: incoming.body.length,
      body_sha256: bodySha256,
      remote_address: incoming.remoteAddress,
    });
    this.batcher.add(refusal).catch((error) => this.logger.warn(`refusals not kept: ${String(error)}`));
  }

  /** A project's refusals, or those of one App. */
  list(
    organizationId: string,
    projectId: string,
    { appId, cursor, order, limit }: { appId: string | null; cursor: string | null; order: Order; limit: number },
  ): Promise<Refusal[]> {
    const query = this.rows
      .createQueryBuilder('refusal')
      .where('refusal.organization_id = :organizationId AND refusal.project_id = :projectId', {
        organizationId,
        projectId,
      })
      .andWhere(keyset('refusal.id', ':cursor', order).after, { cursor })
      .orderBy('refusal.id', order === 'asc' ? 'ASC' : 'DESC')
      .limit(limit);
    if (appId) query.andWhere('refusal.app_id = :appId', { appId });
    return query.getMany();
  }

  /** Ids contain the time, so the primary key finds old refusals. @returns how many were deleted */
  async deleteOld(keepDays: number, limit: number): Promise<number> {
    const before = Date.now() - keepDays * 86_400_000;
    const result: unknown = await this.rows.query(
      'DELETE FROM ingress.refusal WHERE id IN (SELECT id FROM ingress.refusal WHERE id < $1 ORDER BY id LIMIT $2)',
      [`evt_${before.toString(16).padStart(12, '0')}`, limit],
    );
    return (result as [unknown[], number])[1];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.batcher.drain();
  }

  private async write(refusals: Refusal[]): Promise<void[]> {
    await this.rows.insert(refusals);
    return [];
  }
}
