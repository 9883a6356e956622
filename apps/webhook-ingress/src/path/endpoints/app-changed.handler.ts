import { type AppChangedPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { EndpointService } from './endpoint.service.js';

@Controller()
export class AppChangedHandler {
  private readonly logger = new Logger('app.changed');

  constructor(private readonly endpoints: EndpointService) {}

  @EventPattern<string>('app.changed')
  async handle(): Promise<void> {
    await this.endpoints.pullAfterNow();
  }

  /** Nothing to repair: every replica asks the gateway every few seconds anyway. */
  @EventPattern<string>('app.changed.dead')
  dead(@Payload() job: DeadJob<AppChangedPayload>): void {
    this.logger.warn({ event: 'app.changed.dead', code: job.code, reason: job.reason });
  }
}
