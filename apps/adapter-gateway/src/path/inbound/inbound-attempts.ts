import { Batcher } from '#libs/batching';
import { backoffMs, inboundParse, type InboundParsePayload, scopeOf } from '#libs/contracts';
import { isRefusedRow, Liveness, Sweeper } from '#libs/database';
import { JobClient, PermanentFailure, RunLater } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { inMessage } from '#libs/telemetry';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { AdapterClient } from '../adapters/adapter-client.js';
import { AdapterError } from '../adapters/adapter-answer.js';
import { AdapterReadiness, disabledCode, notReadyCode } from '../adapters/adapter-readiness.js';
import { circuitOpenCode } from '../adapters/call-limits.js';
import { credentialWaitCodes, CredentialWaits, waitsForCredential } from '../apps/credential-waits.js';
import { type InstalledAdapter, InstalledApps } from '../apps/installed-apps.js';
import type { InboundWaitRow } from './inbound.entity.js';
import { InboundWaitRepository, type Rescheduled } from './inbound.repository.js';
import { InFlightLimiter, type Policy, settlementOf, Suspects, type Verdict, verdictOf } from '#libs/work';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { InboundService } from './inbound.service.js';

const takeEveryMs = 500;
/** Lets one query to Postgres fill several slots. */
const refillMs = 25;
const recheckMs = 500;
const takenWhenCallable = new Set([circuitOpenCode, notReadyCode, disabledCode]);
const retries = { tries: inboundParse.attempts, backoff: inboundParse.backoff, jitter: 1, failuresAge: true };
/** The adapter set the time of the next attempt itself, with `Retry-After`. */
const retryAfterCode = 'retry_after';

/**
 * Attempts that outlive their job: an adapter that hangs holds its own slots, and no place in the queue. Receipts to
 * retry wait in Postgres and are taken as soon as their adapter can take them. If this process dies, the ingress, which
 * has custody, enqueues its receipts again.
 */
@Injectable()
export class InboundAttempts implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('inbound');
  private readonly inFlight: InFlightLimiter;
  private readonly reschedules: Batcher<Rescheduled, string | null>;
  private readonly keeps: Batcher<{ job: InboundParsePayload; adapterId: string }, InboundWaitRow | null>;
  private readonly suspects: Suspects<InboundWaitRow>;
  private readonly policy: Policy;
  private readonly taker: Sweeper;
  /** Receipts that this process is attempting: the ingress may enqueue one again meanwhile. */
  private readonly mine = new Set<string>();
  /** Attempts in flight of receipts that were taken from `inbound_wait`. */
  private readonly taken = new Set<Promise<void>>();
  private closing = false;

  constructor(
    private readonly installed: InstalledApps,
    private readonly inbound: InboundService,
    private readonly waits: InboundWaitRepository,
    private readonly credentialWaits: CredentialWaits,
    private readonly adapters: AdapterClient,
    private readonly readiness: AdapterReadiness,
    private readonly jobs: JobClient,
    liveness: Liveness,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.inFlight = new InFlightLimiter(settings.PARSES_IN_FLIGHT, (error) =>
      this.logger.warn({ event: 'parse.not_recorded', error: String(error) }),
    );
    const together = { maxItems: 100, maxWaitMs: 0, maxRunning: 2, failsByItem: isRefusedRow };
    this.policy = { ...retries, ageMs: settings.PARSE_MAX_AGE_MS };
    this.reschedules = new Batcher((list) => this.waits.put(list), together);
    this.keeps = new Batcher((list) => this.waits.keep(list), together);
    this.taker = new Sweeper({
      name: 'inbound-waits',
      everyMs: takeEveryMs,
      batch: settings.PARSES_IN_FLIGHT,
      losses: liveness,
      afterLoss: () => this.suspects.freeGone(),
      sweep: (limit) => this.takeDue(limit),
    });
    this.suspects = new Suspects({
      name: 'parse',
      work: waits.work,
      losses: liveness,
      settings,
      metrics,
      retry: (row) => this.underLease(row, () => this.retry(row)),
      end: (row, why) => this.endSuspect(row, why),
    });
  }

  onApplicationBootstrap(): void {
    this.adapters.onClosedCircuit((baseUrl) => {
      this.waits.expedite(baseUrl, retryAfterCode).catch((error: unknown) => {
        // They are retried later in any case.
        this.logger.warn({ event: 'parse.not_resumed', error: String(error) });
      });
    });
    this.credentialWaits.onRelease((appIds) => this.waits.release(appIds, [...credentialWaitCodes]));
    this.taker.start();
    this.suspects.start();
  }

  /** Runs before the workers close: from here on, each job waits for its own attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.inFlight.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.taker.stop(), this.suspects.stop()]);
    await this.inFlight.drain();
  }

  /** Begins an attempt; resolves once the in-flight limiter has room for it. */
  async begin(job: InboundParsePayload, adapter: InstalledAdapter): Promise<void> {
    if (job.custody?.attempts !== undefined) return this.beginRepublished(job, adapter);
    const attempt = () => this.waits.work.gate.beside(null, () => this.attempt(job, adapter, null));
    if (this.closing) return attempt();
    const leave = await this.inFlight.enter();
    this.inFlight.add(attempt(), leave);
  }

  private async beginRepublished(job: InboundParsePayload, adapter: InstalledAdapter): Promise<void> {
    const leave = this.closing ? null : await this.inFlight.enter();
    let attempt: Promise<void> | null = null;
    try {
      await this.waits.work.gate.open();
      const row = await this.keeps.add({ job, adapterId: adapter.id });
      // A receipt in `inbound_wait` is attempted from there.
      if (row) attempt = this.underLease(row, () => this.attempt(job, adapter, row));
    } finally {
      if (attempt === null) leave?.();
    }
    if (attempt && leave) this.inFlight.add(attempt, leave);
    else await attempt;
  }

  private underLease(row: InboundWaitRow, act: () => Promise<void>): Promise<void> {
    const { receipt_id: eventId, organization_id: organizationId } = row.job;
    return inMessage({ eventId, organizationId }, undefined, () =>
      this.waits.work.run({ key: eventId, claim: row.claim }, act),
    );
  }

  /** Takes due receipts, and more as soon as some are done: the slowest attempt holds up none. */
  private async takeDue(limit: number): Promise<number> {
    if (this.closing) return 0;
    await this.waits.work.gate.open();
    const rows = await this.waits.take(this.adapters.load, this.settings.ADAPTER_CONCURRENCY, this.inFlight.free);
    for (const row of rows) {
      const attempt = this.underLease(row, () => this.retry(row)).finally(() => this.taken.delete(attempt));
      this.taken.add(attempt);
      this.inFlight.add(attempt);
    }
    if (this.taken.size === 0) return 0;
    // The in-flight limiter reports an attempt whose outcome could not be recorded.
    await Promise.race([...this.taken, pause(takeEveryMs)]).catch(() => undefined);
    await pause(refillMs);
    return limit;
  }

  private async retry(row: InboundWaitRow): Promise<void> {
    const { job, tries } = row;
    try {
      const { adapter } = await this.installed.get(job.app_id);
      if (!adapter) throw new PermanentFailure('adapter_not_found', `the App ${job.app_id} has no adapter`);
      await this.attempt(job, adapter, row);
    } catch (error) {
      const verdict = verdictOf(error);
      if (verdict.do !== 'dead') throw error;
      await this.end(job, tries, verdict.code, textOf(error));
    }
  }

  private async attempt(
    job: InboundParsePayload,
    adapter: InstalledAdapter,
    row: InboundWaitRow | null,
  ): Promise<void> {
    const { receipt_id: id } = job;
    if (this.mine.has(id)) {
      if (row === null) return;
      // The row is written before the attempt ends, so the sweep may take it in between.
      const wait = { do: 'later', ms: recheckMs, code: row.reason ?? retryAfterCode, ages: false } as const;
      await this.waits.work.settle([settlementOf(id, row, wait, this.policy)]);
      return;
    }
    this.mine.add(id);
    try {
      const scope = scopeOf(job);
      await this.readiness.require(adapter.baseUrl, scope);
      await this.inbound.process(job, row?.tries ?? 1);
      if (row) await this.waits.work.persist(() => this.waits.forget([id]));
    } catch (error) {
      await this.failed(job, adapter, row, error);
    } finally {
      this.mine.delete(id);
    }
  }

  private async failed(
    job: InboundParsePayload,
    adapter: InstalledAdapter,
    row: InboundWaitRow | null,
    error: unknown,
  ): Promise<void> {
    const before = row ?? { claim: 0, tries: 1, blocked_since: null, reason: null, deaths: 0 };
    const settlement = settlementOf(job.receipt_id, before, verdictOn(error, before), this.policy);
    const { state, tries, reason } = settlement;
    if (state === 'dead') return this.end(job, before.tries, reason ?? '', textOf(error));
    // It is retried later, and no later message waits for it.
    this.jobs.order.leave(job.app_id, job.receipt_id);
    const stored = { job, adapterId: adapter.id, settlement };
    const store = (): Promise<string | null> => this.reschedules.add(stored);
    // Without a row each store would count a try, and the ingress has the receipt until then.
    const waitedFor = (await (row ? this.waits.work.persist(store) : store())) ?? before.reason;
    // The timeline says a pause once, however often the adapter or the credential is checked meanwhile.
    const isNew = waitedFor === null || (waitsForCredential(reason) && reason !== waitedFor);
    if (tries === before.tries || isNew) this.inbound.retrying(job, tries, reason ?? '', error);
  }

  /** Its row stays: a job that the dead process left behind would have it tried again. */
  private async endSuspect(row: InboundWaitRow, { code, message }: PermanentFailure): Promise<void> {
    await this.inbound.deadLetter(row.job, row.tries, code, message);
    await this.waits.work.settle([settlementOf(row.receipt_id, row, { do: 'dead', code }, this.policy)]);
  }

  private async end(job: InboundParsePayload, attempt: number, code: string, reason: string): Promise<void> {
    await this.inbound.deadLetter(job, attempt, code, reason);
    await this.waits.forget([job.receipt_id]);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * A pause costs no attempt: a `Retry-After`, or an adapter that is not ready, is busy or fails every call.
 * @param row `tries` with this one
 */
function verdictOn(error: unknown, { tries, deaths }: Pick<InboundWaitRow, 'tries' | 'deaths'>): Verdict {
  if (error instanceof RunLater) {
    // Receipts of an adapter that may not be called are taken once it may, so there is no time to wait for. Suspects are
    // tried whenever they are due.
    const isTaken = takenWhenCallable.has(error.code) && deaths === 0;
    return { do: 'later', code: error.code, ms: isTaken ? 0 : error.delayMs, ages: true };
  }
  const called = error instanceof AdapterError ? error : null;
  // A retry is useless: the adapter gives the same answer to the same request and would break the contract again.
  if (called?.code === 'contract_violation') return { do: 'dead', code: called.code };
  const verdict = verdictOf(error);
  if (verdict.do === 'later') return { ...verdict, code: retryAfterCode };
  if (!called?.onTrial) return verdict;
  return { do: 'later', code: called.code, ms: backoffMs(inboundParse.backoff, tries), ages: true };
}
