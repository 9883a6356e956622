import { deliverySend } from '#libs/contracts';
import { Database } from '#libs/database';
import { Journal, noteDeliveryRedriven } from '#libs/journal';
import { JobClient, PermanentFailure } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InstalledApps } from '../../path/apps/installed-apps.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { jobOf } from '../../path/deliveries/delivery.repository.js';
import { ManagedDeliveryRepository } from './managed-delivery.repository.js';

/** What a person does about deliveries that have ended without arriving, or that wait. */
@Injectable()
export class DeliveryRepair {
  constructor(
    private readonly deliveries: ManagedDeliveryRepository,
    private readonly installed: InstalledApps,
    private readonly jobs: JobClient,
    private readonly db: Database,
    private readonly journal: Journal,
  ) {}

  /**
   * Tries a delivery now that is dead, unknown or expired, or that waits, and gives it the whole time again.
   * @throws Problem 404 `delivery_not_found`; 409 `not_redrivable`
   */
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

  /**
   * Settles a delivery of which nobody else can tell whether it arrived.
   * @throws Problem 404 `delivery_not_found`; 409 `not_unknown`
   */
  async markDelivered({ organizationId, projectId, subject }: Principal, id: string): Promise<DeliveryRow> {
    const row = await this.find(organizationId, projectId, id);
    const state = await this.deliveries.markDelivered(id);
    if (!state) {
      throw new Problem(409, 'not_unknown', `The delivery is ${row.state}: only an unknown one can be marked.`);
    }
    this.journal.append({
      receipt_id: row.receipt_id,
      organization_id: organizationId,
      project_id: projectId,
      app_id: row.app_id,
      stage: 'delivery',
      outcome: state === 'queued' ? 'running' : state,
      reason: 'marked_by_person',
      subject_id: id,
      attempt: row.tries,
      detail: { by: subject, ...(row.parts === null ? {} : { part: row.from_part + 1, parts: row.parts }) },
    });
    if (state === 'queued') void this.jobs.enqueue(deliverySend, jobOf(row));
    return (await this.deliveries.find(organizationId, projectId, id)) ?? row;
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
