import { sourceSync } from '#libs/contracts';
import { Liveness, Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { Suspects } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { disabledCode, notReadyCode } from '../path/adapters/adapter-readiness.js';
import { credentialWaitCodes, CredentialWaits } from '../path/apps/credential-waits.js';
import { HealthPoller } from '../manage/adapters/health-poller.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import type { SourceRow } from './source.entity.js';
import type { SyncCause, SyncRunRow } from './sync-run.entity.js';
import { SyncRunRepository } from './sync-run.repository.js';
import { Syncer } from './syncer.js';

/** Has custody of runs: begins them when due or requested, and enqueues them until they end. */
@Injectable()
export class SourceSyncs extends Sweeping {
  private readonly suspects: Suspects<SyncRunRow>;

  constructor(
    private readonly runs: SyncRunRepository,
    private readonly syncer: Syncer,
    private readonly jobs: JobClient,
    poller: HealthPoller,
    waits: CredentialWaits,
    losses: Liveness,
    metrics: Metrics,
    @Inject(SETTINGS) settings: GatewaySettings,
  ) {
    super();
    this.suspects = new Suspects({
      name: 'sync',
      work: runs.work,
      losses,
      settings,
      metrics,
      retry: (run) => this.goOn(() => this.syncer.workOn(run)),
      end: (run, why) => this.syncer.end(run, run.claim, { do: 'dead', code: why.code }, why.message),
    });
    poller.onReady(async (adapterId) => {
      for (const id of await this.runs.expedite(adapterId, [notReadyCode, disabledCode])) this.enqueue(id);
    });
    waits.onRelease(async (appIds) => {
      for (const id of await this.runs.release(appIds, [...credentialWaitCodes])) this.enqueue(id);
    });
    this.sweepEvery({
      name: 'source-syncs',
      everyMs: settings.SYNC_SWEEP_MS,
      batch: 200,
      losses,
      afterLoss: () => this.suspects.freeGone(),
      sweep: (limit) => this.sweep(limit),
    });
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.suspects.start();
  }

  override async onModuleDestroy(): Promise<void> {
    await Promise.all([super.onModuleDestroy(), this.suspects.stop()]);
  }

  /** Begins a run now, or after the one that is open. @returns the open one */
  async start(source: SourceRow, cause: SyncCause): Promise<SyncRunRow> {
    const run = await this.runs.begin(source, cause);
    this.enqueue(run.id);
    return run;
  }

  /** One slice of a run; what is left of it, or of its listing, is enqueued. */
  async work(runId: string): Promise<void> {
    await this.goOn(() => this.syncer.work(runId));
  }

  /** Ends a run whose job cannot be handled at all. */
  async deadLetter(runId: string, code: string, reason: string): Promise<void> {
    const run = await this.runs.byId(runId);
    if (run) await this.syncer.end(run, run.claim, { do: 'dead', code }, reason.slice(0, 1_000));
  }

  private async sweep(limit: number): Promise<number> {
    const begun = await this.runs.beginDue(limit);
    const overdue = await this.runs.work.overdue(0, limit);
    for (const id of new Set([...begun, ...overdue.map((run) => run.id)])) this.enqueue(id);
    // Overdue ones stay so until their job runs: another query now would only find them again.
    return begun.length;
  }

  private async goOn(work: () => Promise<string | null>): Promise<void> {
    const next = await work();
    if (next !== null) this.enqueue(next);
  }

  private enqueue(runId: string): void {
    void this.jobs.enqueue(sourceSync, { run_id: runId });
  }
}
