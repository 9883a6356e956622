import { scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { AdapterRow } from '../../entities/app.entity.js';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { AdapterReadiness } from '../../path/adapters/adapter-readiness.js';
import { AdapterRepository } from './adapter.repository.js';
import { type Health, HealthProbe } from './health.js';

const sweepsPerPoll = 5;
const pollBatch = 50;
const maxSweepMs = 2_000;
const forgetEveryMs = 3_600_000;
/** The first backoff: short, so that a brief outage ends soon after the adapter is back. */
const firstBackoffMs = 1_000;
/** An adapter whose calls fail is polled no more often than this. */
const pollFailingEveryMs = 1_000;

/**
 * Polls each adapter from one replica at a time; one that is not ready is polled with growing backoff. The results are
 * kept for HEALTH_DAYS.
 */
@Injectable()
export class HealthPoller extends Sweeping {
  private readonly logger = new Logger('adapter-health');
  /** When the adapters at an address were last polled for a failed call. */
  private readonly failing = new Map<string, number>();
  private readonly ready: ((adapterId: string) => Promise<void>)[] = [];

  constructor(
    private readonly adapters: AdapterRepository,
    private readonly probe: HealthProbe,
    private readonly readiness: AdapterReadiness,
    client: AdapterClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    client.onFailedCall((baseUrl) => void this.pollFailing(baseUrl));
    this.sweepEvery({
      name: 'adapter-health',
      everyMs: Math.min(maxSweepMs, Math.ceil(settings.HEALTH_POLL_MS / sweepsPerPoll)),
      batch: pollBatch,
      sweep: (limit) => this.pollDue(limit),
    });
    this.sweepEvery({
      name: 'adapter-health-days',
      everyMs: forgetEveryMs,
      batch: 1,
      sweep: async () => {
        await this.adapters.forgetHealth(settings.HEALTH_DAYS);
        return 0;
      },
    });
  }

  /** Calls back at every poll that finds an adapter ready. */
  onReady(callback: (adapterId: string) => Promise<void>): void {
    this.ready.push(callback);
  }

  /** Polls one adapter now, and records the result: from then on nothing calls it, or what waited is released. */
  async poll(row: AdapterRow): Promise<Health | null> {
    if (row.base_url === null) return null;
    const scope = scopeOf(row);
    const found = await this.probe.ask(row.base_url, row.slug, scope);
    const { misnamed: _misnamed, ...health } = found;
    const failedPolls = health.state === 'ready' ? 0 : row.failed_polls + 1;
    const { HEALTH_POLL_MS: everyMs, HEALTH_POLL_MAX_MS: maxMs } = this.settings;
    const backoffMs = Math.min(firstBackoffMs, everyMs) * 2 ** Math.min(failedPolls - 1, 20);
    await this.adapters.recordPoll({
      id: row.id,
      ...health,
      failed_polls: failedPolls,
      nextInMs: failedPolls === 0 ? everyMs : Math.min(backoffMs, Math.max(maxMs, everyMs)),
    });
    if (health.state !== row.state) {
      this.readiness.forget();
      this.logger.log({ event: 'adapter.state', adapter: row.id, state: health.state, reason: health.state_reason });
    }
    // At every poll: another replica may still have taken it for unready and rescheduled work after the first one.
    if (health.state === 'ready' && !row.disabled) await Promise.all(this.ready.map((callback) => callback(row.id)));
    return found;
  }

  /** A call has just failed: whether the adapter is still ready is found out now, not at the next poll. */
  private async pollFailing(baseUrl: string): Promise<void> {
    const askedMs = this.failing.get(baseUrl) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - askedMs < pollFailingEveryMs) return;
    this.failing.set(baseUrl, performance.now());
    try {
      await this.adapters.expeditePoll(baseUrl, pollFailingEveryMs);
      await this.pollDue(pollBatch);
    } catch (error) {
      // The next poll finds it out in any case.
      this.logger.warn({ event: 'adapter.not_polled', reason: String(error) });
    }
  }

  private async pollDue(limit: number): Promise<number> {
    const due = await this.adapters.takeDue(limit, this.settings.HEALTH_TIMEOUT_MS * 2);
    await Promise.all(due.map((row) => this.poll(row)));
    return due.length;
  }
}
