import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { defineJob } from '../job-contract.js';
import { setId } from './turn-finished.js';

/** `taken` says the gateway has committed the delivery and owns it; the others are final states. */
export interface SettledDelivery {
  delivery_id: string;
  state: 'taken' | 'delivered' | 'dead' | 'unknown';
}

/** Deliveries that the gateway owns or ended: the engine stops offering them. */
export class DeliverySettledPayload {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(500) deliveries: SettledDelivery[];
}

export const deliverySettled = defineJob<DeliverySettledPayload>({
  name: 'delivery.settled',
  queue: 'delivery-results',
  payload: DeliverySettledPayload,
  jobId: (payload) => setId(payload.deliveries.map((delivery) => `${delivery.delivery_id}:${delivery.state}`)),
  attempts: 10,
  backoff: { baseMs: 250, capMs: 10_000 },
});
