import { Batcher } from '#libs/batching';
import {
  deliverySend,
  type DeliverySendPayload,
  type OutboundContent,
  outboundSent,
  scopeOf,
  textHash,
} from '#libs/contracts';
import { isRefusedRow, Liveness, Sweeper } from '#libs/database';
import { Journal } from '#libs/journal';
import { JobClient, type JobContext, PermanentFailure, unprocessableCode } from '#libs/queue';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { inMessage, inSpan, traceparent } from '#libs/telemetry';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { InstalledApps } from '../apps/installed-apps.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import { ENGINE, type GatewaySettings, SETTINGS } from '../../env.js';
import { Deliverer } from './deliver.js';
import {
  type ClaimedDelivery,
  DeliveryRepository,
  type DeliveryResult,
  type FirstJob,
  firstClaimOf,
  jobOf,
} from './delivery.repository.js';
import { deliveryOutcome, type DeliveryOutcome, entryOf, isPause, type Made } from './delivery.verdict.js';
import { FirstAttempts } from './first-attempts.js';
import { InFlightLimiter, type Leave, Suspects, SurplusPlaces } from '#libs/work';

const sweepEveryMs = 3_000;
const sweepGraceMs = 5_000;
/**
 * Has custody of deliveries: committed before the first attempt, or soon after it began, and attempted until settled. The
 * journal records it.
 */
@Injectable()
export class DeliveryService implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('deliveries');
  private readonly claims: Batcher<DeliverySendPayload, ClaimedDelivery | null>;
  private readonly results: Batcher<DeliveryResult>;
  private readonly sweeper: Sweeper;
  private readonly suspects: Suspects<DeliveryRow>;
  private readonly inFlight: InFlightLimiter;
  private readonly surplus: SurplusPlaces;
  private readonly firsts: FirstAttempts;
  private closing = false;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly deliverer: Deliverer,
    private readonly installed: InstalledApps,
    private readonly jobs: JobClient,
    private readonly liveness: Liveness,
    journal: Journal,
    private readonly metrics: Metrics,
    @Inject(ENGINE) private readonly engine: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.inFlight = new InFlightLimiter(settings.DELIVERIES_IN_FLIGHT, (error) =>
      // Postgres was away for longer than its lease: it is claimed again.
      this.logger.warn({ event: 'delivery.not_recorded', error: String(error) }),
    );
    this.surplus = new SurplusPlaces(settings.SURPLUS_DELIVERIES_IN_FLIGHT);
    this.firsts = new FirstAttempts(deliveries.work, deliverer, installed, settings);
    const grouped = { maxItems: 100, maxWaitMs: 0, maxRunning: 2, failsByItem: isRefusedRow };
    this.claims = new Batcher((jobs) => this.claimAll(jobs), grouped);
    this.results = new Batcher<DeliveryResult>(async (results) => {
      // That it arrived lies in its own row.
      const inRows = results.map(({ entry }) =>
        entry?.outcome === 'delivered' && !entry.reason ? journal.inRow(entry, {}) : null,
      );
      const outcomes = results.map((result, at) => ({ ...result, entry: inRows[at] ?? null }));
      const beside = results.flatMap(({ key, entry }, at) => (entry && !inRows[at] ? [journal.row(entry, key)] : []));
      const recorded = await this.deliveries.record(outcomes, beside);
      for (const { key, entry } of results) if (entry && recorded.has(key)) journal.noted(entry);
      return [];
    }, grouped);
    this.sweeper = new Sweeper({
      name: 'deliveries',
      everyMs: sweepEveryMs,
      batch: 500,
      losses: liveness,
      afterLoss: () => this.suspects.freeGone(),
      sweep: (limit) => this.sweep(limit),
    });
    this.suspects = new Suspects({
      name: 'delivery',
      work: deliveries.work,
      losses: liveness,
      settings,
      metrics,
      retry: (delivery) => this.attempt(delivery),
      end: (delivery, why) => this.finish(delivery, deliveryOutcome(delivery, { error: why }, settings), 0),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
    this.suspects.start();
  }

  /** Runs before the workers close: from here on, each job waits for its own attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.inFlight.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.sweeper.stop(), this.suspects.stop()]);
    await this.inFlight.drain();
  }

  /**
   * Claims a delivery unless it is leased or settled. The attempt continues after the job ends: the row's lease is its
   * custody, and an adapter that hangs holds no place in the queue.
   */
  async send(job: DeliverySendPayload, context: Pick<JobContext, 'waiting' | 'waitedMs'>): Promise<void> {
    if (this.closing) return this.sendNow(job);
    const leave = await context.waiting(this.placeFor(job));
    await context.waiting(this.deliveries.work.gate.open());
    try {
      const first = await this.firsts.accept(job, context.waitedMs());
      if (first) return this.inFlight.add(this.attemptFirst(first), leave);
      const delivery = await this.claim(job);
      if (delivery) this.inFlight.add(this.attempt(delivery), leave);
      else leave();
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Like `send`, but resolves once the attempt is recorded. */
  async sendNow(job: DeliverySendPayload): Promise<void> {
    const delivery = await this.claim(job);
    if (delivery) await this.attempt(delivery);
  }

  /**
   * Ends the delivery of a job whose data no attempt can process, if it has a row. After any other failure the row still
   * has custody: the sweep takes it, however long the database or the engine was away.
   */
  async deadLetter(job: DeliverySendPayload, code: string, reason: string): Promise<void> {
    if (code !== unprocessableCode) return;
    const row = await this.deliveries.byId(job.delivery_id);
    if (!row) return;
    const outcome = deliveryOutcome(row, { error: new PermanentFailure(code, reason) }, this.settings);
    await this.finish(row, outcome, 0);
  }

  /** A project's surplus gets few places: the messages of other projects wait for whatever a process has in flight. */
  private async placeFor({ project_id: projectId, custody }: DeliverySendPayload): Promise<Leave> {
    const leaveShare = custody?.surplus ? await this.surplus.enter(projectId) : null;
    const leave = await this.inFlight.enter();
    return () => {
      leaveShare?.();
      leave();
    };
  }

  private async claim(job: DeliverySendPayload): Promise<ClaimedDelivery | null> {
    return this.claims.add(job.content ? job : { ...job, content: await this.readContent(job) });
  }

  private attempt(delivery: ClaimedDelivery): Promise<void> {
    return this.inContextOf(delivery, () =>
      this.deliveries.work.run({ key: delivery.id, claim: delivery.claim }, async (lost) => {
        const startMs = performance.now();
        const outcome = deliveryOutcome(delivery, await this.deliverer.made(delivery, lost), this.settings);
        await this.finish(delivery, outcome, performance.now() - startMs);
      }),
    );
  }

  /** Attempts a delivery that has no row yet. */
  private attemptFirst(job: FirstJob): Promise<void> {
    const delivery = firstClaimOf(job);
    const startMs = performance.now();
    const settle = (claimed: ClaimedDelivery, made: Made): Promise<void> =>
      this.finish(claimed, deliveryOutcome(claimed, made, this.settings), performance.now() - startMs);
    return this.inContextOf(delivery, () =>
      this.firsts.attempt(delivery, { claim: () => this.claim({ ...job, content: delivery.content }), settle }),
    );
  }

  private inContextOf(
    { id, receipt_id: eventId, organization_id: organizationId }: DeliveryRow,
    act: () => Promise<void>,
  ) {
    // A sweep has no message context; a job runs in that of its message already.
    return inMessage({ eventId, organizationId }, traceparent(eventId), () =>
      inSpan('delivery', 'internal', { 'gatehouse.delivery_id': id }, act),
    );
  }

  private async finish(delivery: ClaimedDelivery, outcome: DeliveryOutcome, durationMs: number): Promise<void> {
    const { state } = outcome;
    const entry = entryOf(delivery, outcome, durationMs);
    const detail = outcome.error_detail?.replaceAll('\0', '').slice(0, 1_000) ?? null;
    const arrived = state === 'delivered' && delivery.lease_until === null ? { arrived: delivery } : {};
    const stored = { ...outcome, error_detail: detail, entry, ...arrived };
    await this.deliveries.work.persist(() => this.results.add(stored));
    if (state === 'delivered' || state === 'unknown') await this.noteSent(delivery, outcome.provider_message_id);
    if (outcome.due_in_ms !== null) this.retry(delivery, outcome.due_in_ms);
    // A pause is no work, whether or not it has an entry.
    if (entry || !isPause(outcome.reason)) {
      const what = state === 'queued' ? 'retrying' : state;
      this.metrics.hopSeconds.observe({ stage: 'delivery', outcome: what }, durationMs / 1000);
    }
  }

  /** Notes what was sent, so that its echo is recognised. The built-in App has its origin marker instead. */
  private async noteSent(delivery: ClaimedDelivery, messageId: string | null): Promise<void> {
    const { app } = await this.installed.get(delivery.app_id);
    if (app.kind === 'builtin') return;
    await this.jobs.enqueue(outboundSent, {
      delivery_id: delivery.id,
      app_id: delivery.app_id,
      project_id: delivery.project_id,
      sender: delivery.content.target.answers ?? null,
      message_ids: messageId ? [messageId] : [],
      text_hash: textHash(delivery.content.text),
    });
  }

  private retry(delivery: ClaimedDelivery, waitMs: number): void {
    const payload = { ...jobOf(delivery), ...(delivery.surplus ? { custody: { surplus: delivery.surplus } } : {}) };
    const item = { payload, attempts: 0, addedAtMs: Date.now() };
    // If Redis is unavailable, the sweep takes the delivery when its wait is over.
    this.jobs.republish(deliverySend, item, waitMs + 5).catch(() => undefined);
  }

  private async claimAll(jobs: DeliverySendPayload[]): Promise<(ClaimedDelivery | null)[]> {
    const rows = await this.deliveries.claim(jobs);
    const mine = new Map(rows.map((row) => [row.id, row]));
    return jobs.map((job) => {
      const row = mine.get(job.delivery_id) ?? null;
      // The same delivery twice in one batch: the first job gets it.
      mine.delete(job.delivery_id);
      return row && job.custody?.surplus ? { ...row, surplus: true } : row;
    });
  }

  private async readContent(job: DeliverySendPayload): Promise<OutboundContent> {
    const known = await this.deliveries.byId(job.delivery_id);
    if (known) return known.content;
    const { content } = await this.engine.get<{ content: OutboundContent }>(
      `/internal/turns/${job.turn_id}/replies/${job.delivery_id}`,
      scopeOf(job),
    );
    return content;
  }

  private async sweep(limit: number): Promise<number> {
    const behindMs = await this.jobs.behindMs(deliverySend.queue);
    const ageMs = Math.min(sweepGraceMs, this.liveness.sinceLossMs) + behindMs;
    const rows = await this.deliveries.work.overdue(ageMs, limit);
    await Promise.all(rows.map((row) => this.jobs.enqueue(deliverySend, jobOf(row))));
    // They stay overdue until their job runs: another query now would only find the same rows.
    return 0;
  }
}
