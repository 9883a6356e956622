import { credentialRefresh } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { GrantRepository } from './grant.repository.js';
import { RefreshAttemptRepository } from './refresh-attempt.repository.js';
import { Refresher } from './refresher.service.js';

const sweepBatch = 500;

/** Refreshes due grants. The rows say which are due, so a Redis that loses its jobs costs one round of the sweeper. */
@Injectable()
export class DueGrants extends Sweeping {
  constructor(
    private readonly grants: GrantRepository,
    private readonly attempts: RefreshAttemptRepository,
    private readonly refresher: Refresher,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) settings: VaultSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'grants',
      everyMs: settings.REFRESH_SWEEP_MS,
      batch: sweepBatch,
      sweep: (limit) => this.sweep(limit),
    });
    this.sweepEvery({
      name: 'refresh-journal',
      everyMs: 3_600_000,
      batch: 1_000,
      sweep: () => this.attempts.purge(settings.REFRESH_JOURNAL_DAYS),
    });
  }

  /** For a job. It does nothing when the grant has moved on or was rescheduled. */
  async refresh(credentialId: string, version: number): Promise<void> {
    const found = await this.grants.findAny(credentialId);
    if (found?.grant.version === version && found.due) await this.refresher.refresh(credentialId, version);
  }

  private async sweep(limit: number): Promise<number> {
    const due = await this.grants.takeDue(limit);
    const now = Math.floor(Date.now() / 1_000);
    const woken = await Promise.all(due.map((one) => this.jobs.enqueue(credentialRefresh, { ...one, due_at: now })));
    // Without Redis, the refreshes run here, spread over the processes.
    for (const [index, { credential_id: id, version }] of due.entries())
      if (!woken[index]) this.refresher.start(id, version);
    return due.length;
  }
}
