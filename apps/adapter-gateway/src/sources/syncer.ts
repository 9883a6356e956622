import { sourceSync } from '#libs/contracts';
import { errorCode } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { LeaseLost, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AdapterError } from '../path/adapters/adapter-answer.js';
import { CallTargets } from '../manage/apps/call-targets.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import type { ChangePage } from './change-page.js';
import { SourceAdapter } from './source-adapter.js';
import type { SourceChangeRow } from './source-change.entity.js';
import type { SourceRow } from './source.entity.js';
import { SourceError } from './source-error.js';
import { SourceRepository } from './source.repository.js';
import { SyncProgressRepository } from './sync-progress.repository.js';
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
    await this.runs.work.gate.open();
    const run = await this.runs.work.claim(runId);
    return run && this.workOn(run);
  }

  /** As `work`, on a claimed run. */
  workOn(run: SyncRunRow): Promise<string | null> {
    return this.runs.work.run({ key: run.id, claim: run.claim }, () => this.slice(run));
  }

  private async slice(run: SyncRunRow): Promise<string | null> {
    try {
      const source = await this.sources.byId(run.source_id);
      if (!source) return null;
      const next = await this.toTheEnd(run, source);
      if (next !== run.id) return next;
      const rest = { state: 'queued', due_in_ms: 0, tries: 0, blocked_since: null, reason: null, spent: null } as const;
      await this.runs.settle({ key: run.id, claim: run.claim, ...rest }, null);
      return run.id;
    } catch (error) {
      if (!(error instanceof LeaseLost)) await this.interrupted(run, error);
      return null;
    }
  }

  /** @returns as `work` */
  private async toTheEnd(run: SyncRunRow, source: SourceRow): Promise<string | null> {
    const untilMs = performance.now() + this.settings.SYNC_SLICE_MS;
    let current = run;
    while (current.phase === 'listing' && current.pages < this.settings.SYNC_MAX_PAGES) {
      if (performance.now() >= untilMs) return run.id;
      const page = await this.page(current, source);
      current = page ? await this.progress.takePage(current, page) : await this.progress.beginListing(current);
    }
    for (;;) {
      const changes = await this.progress.open(current, this.settings.SOURCE_FETCH_CONCURRENCY);
      if (changes.length === 0) break;
      if (performance.now() >= untilMs) return run.id;
      await settledAll(changes.map((change) => this.carryOut(current, source, change)));
    }
    if (current.phase === 'listing') return this.goOn(current);
    await this.progress.finish(current);
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
    return (await this.progress.continueInNewRun(run))?.id ?? null;
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
          '/sources/list-changes: has_more is true, but the cursor is that of the previous page',
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

  private async carryOut(run: SyncRunRow, source: SourceRow, change: SourceChangeRow): Promise<void> {
    if (change.status === 'removed') return this.progress.remove(run, change);
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
      return this.progress.noteFailure(run, change, failure, attempts);
    }
    await this.progress.keep(run, source, fetched.slug, change, fetched.file);
  }

  private async interrupted(run: SyncRunRow, error: unknown): Promise<void> {
    const code = errorCode(error);
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
    this.logger.warn({ event: 'source.sync.interrupted', run: run.id, source: run.source_id, code, detail });
    // Its progress may have begun the tries again.
    await this.end((await this.runs.byId(run.id)) ?? run, run.claim, verdictOn(error), detail);
  }

  /** Settles a run that was interrupted, or whose job cannot be handled at all. */
  async end({ id, tries, blocked_since }: SyncRunRow, claim: number, verdict: Verdict, detail: string): Promise<void> {
    const { backoff } = sourceSync;
    const policy = { tries: this.settings.SYNC_ATTEMPTS, backoff, jitter: 1, ageMs: null, failuresAge: true };
    await this.runs.settle(settlementOf(id, { claim, tries, blocked_since }, verdict, policy), detail);
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
  if (error instanceof SourceError)
    return ['auth_failed', 'rate_limited', 'unsupported', 'no_documents'].includes(error.code);
  return !(error instanceof AdapterError) || error.retryAfterMs !== null;
}

function verdictOn(error: unknown): Verdict {
  const broken = error instanceof AdapterError && error.code === 'contract_violation';
  const refused = error instanceof Problem && error.status < 500;
  return broken || refused ? { do: 'dead', code: errorCode(error) } : verdictOf(error);
}
