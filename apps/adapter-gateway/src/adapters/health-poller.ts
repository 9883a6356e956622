import { Sweeping } from '#libs/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdapterRepository } from './adapter.repository.js';
import { HealthProbe } from './health.js';

const sweepsPerPoll = 5;
const maxSweepMs = 2_000;
/** A pause as short as this is over soon after the adapter is back. */
const firstLookAgainMs = 1_000;

/** Polls every adapter in one replica at a time; one that is not ready is asked less and less often. */
@Injectable()
export class HealthPoller extends Sweeping {
  private readonly logger = new Logger('adapter-health');
  private readonly ready: ((adapterId: string) => Promise<void>)[] = [];

  constructor(
    private readonly adapters: AdapterRepository,
    private readonly probe: HealthProbe,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'adapter-health',
      everyMs: Math.min(maxSweepMs, Math.ceil(settings.HEALTH_POLL_MS / sweepsPerPoll)),
      batch: 50,
      sweep: (limit) => this.pollDue(limit),
    });
  }

  /** Calls back whenever an adapter was found ready. */
  onReady(callback: (adapterId: string) => Promise<void>): void {
    this.ready.push(callback);
  }

  /** Asks one adapter now, and records what it said. */
  async poll(row: AdapterRow): Promise<void> {
    if (row.base_url === null) return;
    const scope = { organizationId: row.organization_id, projectId: row.project_id };
    const { misnamed: _misnamed, ...health } = await this.probe.ask(row.base_url, row.slug, scope);
    const failedPolls = health.state === 'ready' ? 0 : row.failed_polls + 1;
    const { HEALTH_POLL_MS: everyMs, HEALTH_POLL_MAX_MS: maxMs } = this.settings;
    const lookAgainMs = Math.min(firstLookAgainMs, everyMs) * 2 ** Math.min(failedPolls - 1, 20);
    await this.adapters.recordPoll({
      id: row.id,
      ...health,
      failed_polls: failedPolls,
      nextInMs: failedPolls === 0 ? everyMs : Math.min(lookAgainMs, Math.max(maxMs, everyMs)),
    });
    if (health.state !== row.state) {
      this.logger.log({ event: 'adapter.state', adapter: row.id, state: health.state, reason: health.state_reason });
    }
    // Each time: who believed it not ready for a moment longer put work off after the first time.
    if (health.state === 'ready' && !row.disabled) await Promise.all(this.ready.map((callback) => callback(row.id)));
  }

  private async pollDue(limit: number): Promise<number> {
    const due = await this.adapters.takeDue(limit, this.settings.HEALTH_TIMEOUT_MS * 2);
    await Promise.all(due.map((row) => this.poll(row)));
    return due.length;
  }
}
