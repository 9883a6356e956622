import type { OutboundSentPayload } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import type { DeadJob } from '#libs/queue';
import { Controller, Inject, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { RouterSettings } from '../env.js';
import { routerSettings } from '../settings.js';
import { Clock } from './clock.js';
import { OutboundRepository } from './outbound.repository.js';

const forgetEveryMs = 600_000;

@Controller()
export class OutboundHandler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('outbound.sent');
  private readonly sweeper: Sweeper;

  constructor(
    @Inject(OutboundRepository) private readonly outbound: OutboundRepository,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(routerSettings) settings: RouterSettings,
  ) {
    this.sweeper = new Sweeper({
      name: 'outbound',
      everyMs: forgetEveryMs,
      batch: 1_000,
      sweep: (limit) => this.outbound.forget(settings.ECHO_WINDOW_MS, limit),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeper.stop();
  }

  @EventPattern<string>('outbound.sent')
  async sent(@Payload() job: OutboundSentPayload): Promise<void> {
    await this.outbound.note(job, this.clock.nowMs());
  }

  /** One reply is not known again: the loop breaker is there for that. */
  @EventPattern<string>('outbound.sent.dead')
  dead(@Payload() job: DeadJob<OutboundSentPayload>): void {
    this.logger.error({ event: 'outbound.sent.dead', code: job.code, reason: job.reason });
  }
}
