import type { TurnFinishedPayload, TurnProgressedPayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller, Inject, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { TurnsService } from './turns.service.js';

@Controller()
export class TurnsHandler {
  private readonly logger = new Logger('turn.finished');

  constructor(@Inject(TurnsService) private readonly turns: TurnsService) {}

  @EventPattern<string>('turn.finished')
  async finished(@Payload() job: TurnFinishedPayload): Promise<void> {
    await this.turns.finish(job.turns);
  }

  @EventPattern<string>('turn.progressed')
  async progressed(@Payload() job: TurnProgressedPayload): Promise<void> {
    await this.turns.progress(job.turns);
  }

  /** The run says so later, or not at all, until it ends. */
  @EventPattern<string>('turn.progressed.dead')
  progressDead(@Payload() job: DeadJob<TurnProgressedPayload>): void {
    this.logger.warn({ event: 'turn.progressed.dead', code: job.code, reason: job.reason });
  }

  /** Nothing is lost: the turns are still open here, and the engine says again how they ended when it is asked. */
  @EventPattern<string>('turn.finished.dead')
  dead(@Payload() job: DeadJob<TurnFinishedPayload>): void {
    this.logger.error({ event: 'turn.finished.dead', code: job.code, reason: job.reason });
  }
}
