import { Sweeper } from '#libs/database';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdapterRepository } from './adapter.repository.js';
import { HealthProbe } from './health.js';

const sweepsPerPoll = 5;
const maxSweepMs = 2_000;

/** Polls every adapter in one replica at a time; one that is not ready is asked less and less often. */
@Injectable()
export class HealthPoller implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('adapter-health');
  private readonly sweeper: Sweeper;
  private readonly recovered: ((adapterId: string) => Promise<void>)[] = [];

  constructor(
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
    @Inject(HealthProbe) private readonly probe: HealthProbe,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {
    this.sweeper = new Sweeper({
      name: 'adapter-health',
      everyMs: Math.min(maxSweepMs, Math.ceil(settings.HEALTH_POLL_MS / sweepsPerPoll)),
      batch: 50,
      sweep: (limit) => this.pollDue(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeper.stop();
  }

  /** Calls back when an adapter that was not ready is. */
  onRecovered(callback: (adapterId: string) => Promise<void>): void {
    this.recovered.push(callback);
  }

  /** Asks one adapter now, and records what it said. */
  async poll(row: AdapterRow): Promise<void> {
    if (row.base_url === null) return;
    const { misnamed: _misnamed, ...health } = await this.probe.ask(row.base_url, row.slug);
    const failedPolls = health.state === 'ready' ? 0 : row.failed_polls + 1;
    const waitMs = this.settings.HEALTH_POLL_MS * 2 ** Math.min(Math.max(failedPolls - 1, 0), 20);
    await this.adapters.recordPoll({
      id: row.id,
      ...health,
      failed_polls: failedPolls,
      nextInMs: Math.min(waitMs, Math.max(this.settings.HEALTH_POLL_MAX_MS, this.settings.HEALTH_POLL_MS)),
    });
    if (health.state === row.state) return;
    this.logger.log({ event: 'adapter.state', adapter: row.id, state: health.state, reason: health.state_reason });
    if (health.state === 'ready') await Promise.all(this.recovered.map((callback) => callback(row.id)));
  }

  private async pollDue(limit: number): Promise<number> {
    const due = await this.adapters.takeDue(limit, this.settings.HEALTH_TIMEOUT_MS * 2);
    await Promise.all(due.map((row) => this.poll(row)));
    return due.length;
  }
}
