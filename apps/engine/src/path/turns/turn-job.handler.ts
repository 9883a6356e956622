import type { TurnRunPayload } from '#libs/contracts';
import { type DeadJob, JobContext } from '#libs/queue';
import { Controller, Logger } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { TurnJobService } from './turn-job.service.js';

@Controller()
export class TurnJobHandler {
  private readonly logger = new Logger('turn.run');

  constructor(private readonly jobs: TurnJobService) {}

  @EventPattern<string>('turn.run')
  async run(@Payload() payload: TurnRunPayload, @Ctx() context: JobContext): Promise<void> {
    await this.jobs.run(payload, context.waiting);
  }

  @EventPattern<string>('turn.run.dead')
  async dead(@Payload() job: DeadJob<TurnRunPayload>): Promise<void> {
    const turnId = job.payload?.turn_id;
    this.logger.warn({ event: 'turn.run.dead', turn_id: turnId, code: job.code, reason: job.reason });
    if (job.code !== 'invalid_payload') await this.jobs.fail(job.payload, job.code, job.reason);
    else if (typeof turnId === 'string') await this.jobs.refuse(job.payload, job.code);
  }
}
