import { Metrics } from '#libs/service-kit';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GrantState } from './grant.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { GrantRepository } from './grant.repository.js';
import { RefreshAttempts } from './refresh-attempts.js';
import { RefreshLeases } from './refresh-lease.js';

const pollMs = 100;
const refreshable: readonly GrantState[] = ['active', 'degraded'];

/** Replaces tokens, with one token request per version of a grant, however many processes and callers want it. */
@Injectable()
export class Refresher implements BeforeApplicationShutdown {
  private readonly logger = new Logger('refresh');
  private readonly running = new Map<string, Promise<void>>();
  private readonly outcomes: Counter<'outcome'>;
  private stopping = false;

  constructor(
    private readonly grants: GrantRepository,
    private readonly attempts: RefreshAttempts,
    private readonly leases: RefreshLeases,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
    metrics: Metrics,
  ) {
    this.outcomes = new Counter({
      name: 'gatehouse_oauth_refreshes_total',
      help: 'Refreshes of OAuth grants by outcome',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /**
   * Resolves when the grant has moved on from `version`, cannot move on, or has to wait; the row says which. A second
   * call for the same grant joins the first. No caller can abort a request that was sent.
   * @throws errors of Postgres; the next call or the sweeper tries again
   */
  refresh(credentialId: string, version: number): Promise<void> {
    const key = `${credentialId} ${version}`;
    const joined = this.running.get(key);
    if (joined) return joined;
    const work = this.untilMoved(credentialId, version).finally(() => this.running.delete(key));
    this.running.set(key, work);
    return work;
  }

  /** Starts a refresh in the background. */
  start(credentialId: string, version: number): void {
    this.refresh(credentialId, version).catch((error: unknown) => {
      this.logger.warn({ event: 'refresh.failed', credential_id: credentialId, error: String(error) });
    });
  }

  /** Waits for requests in flight: abandoning one would lose its refresh token. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.allSettled(this.running.values());
  }

  private async untilMoved(credentialId: string, version: number): Promise<void> {
    const deadline = Date.now() + this.settings.TOKEN_TIMEOUT_MS + this.settings.REFRESH_TAKEOVER_MS;
    while (!this.stopping && Date.now() < deadline) {
      const lease = await this.leases.take(credentialId);
      try {
        const timed = await this.grants.findAny(credentialId);
        if (!timed || timed.grant.version !== version || !refreshable.includes(timed.grant.state)) return;
        if (lease !== 'held') {
          const outcome = await this.attempts.make(timed);
          this.outcomes.inc({ outcome });
          if (outcome === 'retry') continue;
          if (outcome !== 'busy') return;
        }
      } finally {
        if (lease !== 'held') await lease?.release();
      }
      await sleep(pollMs);
    }
  }
}
