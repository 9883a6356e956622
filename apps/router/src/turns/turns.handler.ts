import type { TurnFinishedPayload } from '#libs/contracts';
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

  /** Nothing is lost: the turns are still open here, and the engine says again how they ended when it is asked. */
  @EventPattern<string>('turn.finished.dead')
  dead(@Payload() job: DeadJob<TurnFinishedPayload>): void {
    this.logger.error({ event: 'turn.finished.dead', code: job.code, reason: job.reason });
  }
}
