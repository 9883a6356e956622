import type { InboundParsePayload } from '#libs/contracts';
import { type DeadJob, JobContext, PermanentFailure, RunLater } from '#libs/queue';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { AdapterError } from '../adapters/adapter-error.js';
import { InboundService } from './inbound.service.js';

@Controller()
export class InboundHandler {
  constructor(@Inject(InboundService) private readonly inbound: InboundService) {}

  @EventPattern<string>('inbound.parse')
  async parse(@Payload() job: InboundParsePayload, @Ctx() context: JobContext): Promise<void> {
    try {
      await this.inbound.process(job, context.attempt);
    } catch (error) {
      if (!(error instanceof PermanentFailure)) this.inbound.retrying(job, context.attempt, error);
      throw laterWhenAsked(error);
    }
  }

  @EventPattern<string>('inbound.parse.dead')
  async dead(@Payload() job: DeadJob<InboundParsePayload>): Promise<void> {
    await this.inbound.bury(job.payload, job.code, job.reason);
  }
}

/** An adapter that says when to come back is asked again then, at the cost of no attempt. */
function laterWhenAsked(error: unknown): unknown {
  const waitMs = error instanceof AdapterError ? error.retryAfterMs : null;
  return waitMs === null ? error : new RunLater(waitMs, 'retry_after');
}
