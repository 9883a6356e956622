import type { DeliverySendPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { DeliveryService } from './delivery.service.js';

@Controller()
export class DeliveryHandler {
  constructor(private readonly deliveries: DeliveryService) {}

  @EventPattern<string>('delivery.send')
  async send(@Payload() job: DeliverySendPayload): Promise<void> {
    await this.deliveries.send(job);
  }

  @EventPattern<string>('delivery.send.dead')
  async dead(@Payload() job: DeadJob<DeliverySendPayload>): Promise<void> {
    await this.deliveries.deadLetter(job.payload, job.code, job.reason);
  }
}
