import { Sweeping } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { OauthFlowRepository } from './oauth-flow.repository.js';

/** Deletes flows and links that have ended. */
@Injectable()
export class ExpiredFlows extends Sweeping {
  constructor(flows: OauthFlowRepository) {
    super();
    this.sweepEvery({ name: 'oauth-flows', everyMs: 3_600_000, batch: 1_000, sweep: () => flows.purge() });
  }
}
