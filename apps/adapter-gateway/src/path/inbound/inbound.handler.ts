import { inboundParse, type InboundParsePayload } from '#libs/contracts';
import { HeldProjects } from '#libs/journal';
import { type DeadJob, errorCode, JobContext, permanentCode } from '#libs/queue';
import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { InstalledApps } from '../apps/installed-apps.js';
import { InboundAttempts } from './inbound-attempts.js';
import { InboundService } from './inbound.service.js';

@Controller()
export class InboundHandler {
  constructor(
    private readonly installed: InstalledApps,
    private readonly inbound: InboundService,
    private readonly attempts: InboundAttempts,
    private readonly holds: HeldProjects,
  ) {}

  @EventPattern<string>('inbound.parse')
  async parse(@Payload() job: InboundParsePayload, @Ctx() context: JobContext): Promise<void> {
    // What came while its project moves is handed on, and parsed there. Where this is not known yet, the router knows it.
    if (this.holds.of(job.project_id)) return;
    const { adapter } = await this.installed.get(job.app_id);
    if (adapter) return this.attempts.begin(job, adapter);
    try {
      await this.inbound.process(job, context.attempt);
    } catch (error) {
      if (permanentCode(error) === null && context.attempt < inboundParse.attempts) {
        this.inbound.retrying(job, context.attempt, errorCode(error), error);
      }
      throw error;
    }
  }

  @EventPattern<string>('inbound.parse.dead')
  async dead(@Payload() job: DeadJob<InboundParsePayload>, @Ctx() context: JobContext): Promise<void> {
    await this.inbound.deadLetter(job.payload, context.attempt, job.code, job.reason);
  }
}
