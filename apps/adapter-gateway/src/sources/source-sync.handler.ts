import type { SourceSyncPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { SourceSyncs } from './source-syncs.js';

@Controller()
export class SourceSyncHandler {
  constructor(private readonly syncs: SourceSyncs) {}

  @EventPattern<string>('source.sync')
  async sync(@Payload() job: SourceSyncPayload): Promise<void> {
    await this.syncs.work(job.run_id);
  }

  @EventPattern<string>('source.sync.dead')
  async dead(@Payload() job: DeadJob<SourceSyncPayload>): Promise<void> {
    await this.syncs.deadLetter(job.payload.run_id, job.code, job.reason);
  }
}
