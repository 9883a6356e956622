import { deliverySend } from '#libs/contracts';
import { Database } from '#libs/database';
import { noteDeliveryRedriven } from '#libs/journal';
import { JobClient, PermanentFailure } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InstalledApps } from '../apps/installed-apps.js';
import { jobOf } from './delivery-job.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';

/** Redrives deliveries that are dead, unknown or expired, and those that wait: they are tried now, and have the whole time again. */
@Injectable()
export class DeliveryRedrive {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly installed: InstalledApps,
    private readonly jobs: JobClient,
    private readonly db: Database,
  ) {}

  /** @throws Problem 404 `delivery_not_found`; 409 `not_redrivable` */
  async redrive({ organizationId, projectId, subject }: Principal, id: string): Promise<DeliveryRow> {
    const row = await this.find(organizationId, projectId, id);
    const keepsDoubt = await this.canLookUp(row.app_id);
    // Together: while its letter is open, a delivery that dies again adds nothing to the timeline.
    const opened = await this.db.transaction(async (tx) => {
      if (!(await this.deliveries.reopen(tx, id, keepsDoubt))) return false;
      await noteDeliveryRedriven(tx, row, subject);
      return true;
    });
    if (!opened) {
      throw new Problem(
        409,
        'not_redrivable',
        `The delivery is ${row.state}: only waiting, dead, unknown and expired ones can be redriven.`,
      );
    }
    await this.jobs.enqueue(deliverySend, jobOf(row));
    return this.find(organizationId, projectId, id);
  }

  private async canLookUp(appId: string): Promise<boolean> {
    try {
      const { adapter } = await this.installed.get(appId);
      return adapter?.manifest.message?.lookup === true;
    } catch (error) {
      // The App or its adapter is gone: the attempt says so.
      if (error instanceof PermanentFailure) return false;
      throw error;
    }
  }

  private async find(organizationId: string, projectId: string, id: string): Promise<DeliveryRow> {
    const row = await this.deliveries.find(organizationId, projectId, id);
    if (!row) throw notFound('delivery', id);
    return row;
  }
}
