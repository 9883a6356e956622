import type { DeliverySendPayload } from '#libs/contracts';
import type { DeliveryRow } from '../entities/delivery.entity.js';

/** The job of a committed delivery: its content is in the row. */
export function jobOf({ id, organization_id, project_id, receipt_id, turn_id }: DeliveryRow): DeliverySendPayload {
  return { delivery_id: id, organization_id, project_id, receipt_id, turn_id };
}
