import { Sweeper } from '#libs/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { OauthFlowRepository } from './oauth-flow.repository.js';

/** Deletes flows and links that ended. */
@Injectable()
export class ExpiredFlows implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly sweeper: Sweeper;

  constructor(@Inject(OauthFlowRepository) flows: OauthFlowRepository) {
    this.sweeper = new Sweeper({ name: 'oauth-flows', everyMs: 3_600_000, batch: 1_000, sweep: () => flows.purge() });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeper.stop();
  }
}
