import { deliverySend } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { jobOf } from './delivery-job.js';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';

/** Lets a person settle a delivery when nobody else can tell whether it arrived. */
@Injectable()
export class DeliveryMarking {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly jobs: JobClient,
    private readonly journal: Journal,
  ) {}

  /** @throws Problem 404 `delivery_not_found`; 409 `not_unknown` */
  async delivered({ organizationId, projectId, subject }: Principal, id: string): Promise<DeliveryRow> {
    const row = await this.deliveries.find(organizationId, projectId, id);
    if (!row) throw notFound('delivery', id);
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
      attempt: row.attempts,
      detail: { by: subject, ...(row.parts === null ? {} : { part: row.from_part + 1, parts: row.parts }) },
    });
    if (state === 'queued') void this.jobs.enqueue(deliverySend, jobOf(row));
    return (await this.deliveries.find(organizationId, projectId, id)) ?? row;
  }
}
