import { backoffMs, sourceSync } from '#libs/contracts';
import { errorCode, permanentCode, RunLater } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterError } from '../adapters/adapter-error.js';
import { CallTargets } from '../apps/call-targets.js';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import type { ChangePage } from './change-page.js';
import { SourceAdapter } from './source-adapter.js';
import type { SourceChangeRow } from './source-change.entity.js';
import type { SourceRow } from './source.entity.js';
import { SourceError } from './source-error.js';
import { SourceRepository } from './source.repository.js';
import { LeaseLost, SyncProgressRepository } from './sync-progress.repository.js';
import type { SyncRunRow } from './sync-run.entity.js';
import { SyncRunRepository } from './sync-run.repository.js';

/** An adapter whose cursors expire while they are used would be listed forever. */
const maxListings = 3;

/** Works on one run for one time slice; its progress is kept whenever it is stopped. */
@Injectable()
export class Syncer {
  private readonly logger = new Logger('source.sync');

  constructor(
    private readonly sources: SourceRepository,
    private readonly runs: SyncRunRepository,
    private readonly progress: SyncProgressRepository,
    private readonly targets: CallTargets,
    private readonly adapter: SourceAdapter,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** @returns the run to enqueue: this one when the slice was over first, or the one that goes on with its listing */
  async work(runId: string): Promise<string | null> {
    const run = await this.runs.claim(runId, this.settings.SYNC_LEASE_MS);
    if (!run) return null;
    try {
      const source = await this.sources.byId(run.source_id);
      if (!source) return null;
      const next = await this.toTheEnd(run, source);
      if (next !== run.id) return next;
      await this.runs.reschedule(run, 0, { attempts: 0, error: null, detail: null });
      return run.id;
    } catch (error) {
      if (!(error instanceof LeaseLost)) await this.interrupted(run, error);
      return null;
    }
  }

  /** @returns as `work` */
  private async toTheEnd(run: SyncRunRow, source: SourceRow): Promise<string | null> {
    const untilMs = performance.now() + this.settings.SYNC_SLICE_MS;
    const lease = this.settings.SYNC_LEASE_MS;
    let current = run;
    while (current.phase === 'listing' && current.pages < this.settings.SYNC_MAX_PAGES) {
      if (performance.now() >= untilMs) return run.id;
      const page = await this.page(current, source);
      current = page ? await this.progress.takePage(current, page, lease) : await this.again(current);
    }
    for (;;) {
      const changes = await this.progress.open(current, this.settings.SOURCE_FETCH_CONCURRENCY);
      if (changes.length === 0) break;
      if (performance.now() >= untilMs) return run.id;
      await settledAll(changes.map((change) => this.carryOut(current, source, change)));
    }
    if (current.phase === 'listing') return this.goOn(current);
    await this.progress.finish(current, lease);
    return null;
  }

  /**
   * The run has reached its page limit. Another one goes on as long as changes come: cursors that only go round in
   * circles would be followed for ever.
   */
  private async goOn(run: SyncRunRow): Promise<string | null> {
    const listed = (await this.runs.byId(run.id))?.listed ?? 0;
    if (listed === 0) {
      const what = `has_more is true, but ${run.pages} pages in a row (SYNC_MAX_PAGES) name nothing new: the cursor goes round in circles`;
      throw new SourceError('contract_violation', `/sources/list-changes: ${what}`, true);
    }
    return (await this.progress.continueInNewRun(run, this.settings.SYNC_LEASE_MS))?.id ?? null;
  }

  /** @returns null when the adapter no longer knows the cursor */
  private async page(run: SyncRunRow, source: SourceRow): Promise<ChangePage | null> {
    try {
      const page = await this.targets.workWithApp(source.app_id, (target) =>
        this.adapter.listChanges(target, source.resource_path, run.cursor),
      );
      if (page.hasMore && page.cursor === run.cursor) {
        throw new SourceError(
          'contract_violation',
          'has_more is true but the cursor is that of the previous page',
          true,
        );
      }
      return page;
    } catch (error) {
      const expired = error instanceof SourceError && error.code === 'cursor_expired';
      if (expired && run.cursor !== null && run.listing < maxListings) return null;
      throw error;
    }
  }

  private again(run: SyncRunRow): Promise<SyncRunRow> {
    return this.progress.beginListing(run, this.settings.SYNC_LEASE_MS);
  }

  private async carryOut(run: SyncRunRow, source: SourceRow, change: SourceChangeRow): Promise<void> {
    const lease = this.settings.SYNC_LEASE_MS;
    if (change.status === 'removed') return this.progress.remove(run, change, lease);
    // Resolved for each document: an access token may have been renewed since the last one.
    let fetched;
    try {
      fetched = await this.targets.workWithApp(source.app_id, async (target) => ({
        slug: target.manifest.slug,
        file: await this.adapter.fetchFile(target, source.resource_path, change.path),
      }));
    } catch (error) {
      if (concernsTheRun(error)) throw error;
      const failure = {
        error: error instanceof Error ? error.message : String(error),
        permanent: error instanceof SourceError && error.permanent,
      };
      // A contract violation repeats, so this run does not retry it; by the next run the adapter may be fixed.
      const attempts = errorCode(error) === 'contract_violation' ? 1 : this.settings.DOCUMENT_ATTEMPTS;
      return this.progress.stumble(run, change, failure, attempts, lease);
    }
    await this.progress.keep(run, source, fetched.slug, change, fetched.file, lease);
  }

  private async interrupted(run: SyncRunRow, error: unknown): Promise<void> {
    const code = errorCode(error);
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
    const asked = askedToWait(error);
    const attempts = (await this.runs.byId(run.id))?.attempts ?? run.attempts;
    const after = asked === null ? attempts + 1 : attempts;
    this.logger.warn({ event: 'source.sync.interrupted', run: run.id, source: run.source_id, code, detail });
    if (isPermanent(error) || after >= this.settings.SYNC_ATTEMPTS) return this.runs.fail(run, code, detail);
    await this.runs.reschedule(run, asked ?? backoffMs(sourceSync.backoff, after), {
      attempts: after,
      error: code,
      detail,
    });
  }
}

/** Like `Promise.all`, but nothing is in flight any more when it rejects. */
async function settledAll(work: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * Failures of the run, not of one document: the adapter is unavailable or busy, the credential refused, the lease lost.
 */
function concernsTheRun(error: unknown): boolean {
  if (error instanceof SourceError) return ['auth_failed', 'rate_limited', 'unsupported'].includes(error.code);
  return !(error instanceof AdapterError) || error.retryAfterMs !== null;
}

function askedToWait(error: unknown): number | null {
  if (error instanceof RunLater) return error.delayMs;
  return error instanceof AdapterError || error instanceof SourceError ? error.retryAfterMs : null;
}

function isPermanent(error: unknown): boolean {
  if (permanentCode(error) !== null) return true;
  if (error instanceof AdapterError) return error.code === 'contract_violation';
  if (error instanceof Problem) return error.status < 500;
  return error instanceof SourceError && error.permanent;
}
