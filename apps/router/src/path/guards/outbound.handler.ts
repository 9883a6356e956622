import type { OutboundSentPayload } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import type { DeadJob } from '#libs/queue';
import { Controller, Inject, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { RouterSettings } from '../../env.js';
import { SETTINGS } from '../../tokens.js';
import { Clock } from './clock.js';
import { OutboundRepository } from './outbound.repository.js';

const forgetEveryMs = 600_000;

@Controller()
export class OutboundHandler extends Sweeping {
  private readonly logger = new Logger('outbound.sent');

  constructor(
    private readonly outbound: OutboundRepository,
    private readonly clock: Clock,
    @Inject(SETTINGS) settings: RouterSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'outbound',
      everyMs: forgetEveryMs,
      batch: 1_000,
      sweep: (limit) => this.outbound.forget(settings.ECHO_WINDOW_MS, limit),
    });
  }

  @EventPattern<string>('outbound.sent')
  async sent(@Payload() job: OutboundSentPayload): Promise<void> {
    await this.outbound.note(job, this.clock.nowMs());
  }

  /** One reply will not be recognised; the loop breaker covers that case. */
  @EventPattern<string>('outbound.sent.dead')
  dead(@Payload() job: DeadJob<OutboundSentPayload>): void {
    this.logger.error({ event: 'outbound.sent.dead', code: job.code, reason: job.reason });
  }
}
