import type { DeliverySettledPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller, Inject, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { ReplyRepository } from './reply.repository.js';

@Controller()
export class DeliveryResultsController {
  private readonly logger = new Logger('delivery.settled');

  constructor(@Inject(ReplyRepository) private readonly replies: ReplyRepository) {}

  @EventPattern<string>('delivery.settled')
  async settled(@Payload() payload: DeliverySettledPayload): Promise<void> {
    await this.replies.settle(payload.deliveries);
  }

  /** Nothing is lost: what stays open is offered again, and the gateway says again what became of it. */
  @EventPattern<string>('delivery.settled.dead')
  dead(@Payload() job: DeadJob<DeliverySettledPayload>): void {
    this.logger.error({ event: 'delivery.settled.dead', code: job.code, reason: job.reason });
  }
}
