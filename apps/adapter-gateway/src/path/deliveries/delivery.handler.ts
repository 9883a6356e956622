import type { DeliverySendPayload } from '#libs/contracts';
import type { DeadJob, JobContext } from '#libs/queue';
import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { DeliveryService } from './delivery.service.js';

@Controller()
export class DeliveryHandler {
  constructor(private readonly deliveries: DeliveryService) {}

  @EventPattern<string>('delivery.send')
  async send(@Payload() job: DeliverySendPayload, @Ctx() context: JobContext): Promise<void> {
    await this.deliveries.send(job, context);
  }

  @EventPattern<string>('delivery.send.dead')
  async dead(@Payload() job: DeadJob<DeliverySendPayload>): Promise<void> {
    await this.deliveries.deadLetter(job.payload, job.code, job.reason);
  }
}
