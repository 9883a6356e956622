import type { MessageRoutePayload } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { type DeadJob, JobContext } from '#libs/queue';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { RoutingService } from './routing.service.js';

@Controller()
export class RoutingHandler {
  constructor(
    @Inject(RoutingService) private readonly routing: RoutingService,
    @Inject(Journal) private readonly journal: Journal,
  ) {}

  @EventPattern<string>('message.route')
  async route(@Payload() job: MessageRoutePayload, @Ctx() context: JobContext): Promise<void> {
    await this.routing.route(job, context.attempt);
  }

  @EventPattern<string>('message.route.dead')
  async dead(@Payload() job: DeadJob<MessageRoutePayload>): Promise<void> {
    const { receipt_id, organization_id, project_id, app_id } = job.payload;
    await this.journal.appendNow({
      receipt_id,
      organization_id,
      project_id,
      app_id,
      stage: 'routed',
      outcome: 'dead',
      reason: job.code,
      detail: { error: job.reason },
    });
  }
}
