import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewaySettings } from '../../env.js';
import { SETTINGS } from '../../tokens.js';
import { AdapterHealthRepository } from './adapter-health.repository.js';

const everyMs = 3_600_000;

/** Deletes old health records of adapters. */
@Injectable()
export class AdapterHealthSweep extends Sweeping {
  constructor(health: AdapterHealthRepository, @Inject(SETTINGS) settings: GatewaySettings) {
    super();
    const sweep = async (): Promise<number> => {
      await health.forget(settings.HEALTH_DAYS);
      return 0;
    };
    this.sweepEvery({ name: 'adapter-health-days', everyMs, batch: 1, sweep });
  }
}
