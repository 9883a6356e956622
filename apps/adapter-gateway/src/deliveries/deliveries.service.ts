import { Batcher } from '#libs/batching';
import {
  type DeliverySendPayload,
  deliverySend,
  deliverySettled,
  outboundSent,
  type OutboundContent,
  type SettledDelivery,
  textHash,
} from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { Journal } from '#libs/journal';
import { errorCode, JobClient, PermanentFailure, RunLater } from '#libs/queue';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AdapterError } from '../adapters/adapter-error.js';
import { InstalledApps } from '../apps/installed-apps.js';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { type AttemptResult, Deliverer } from './deliver.js';
import type { DeliveryRow } from './delivery.entity.js';
import { DeliveryRepository, type DeliveryResult } from './delivery.repository.js';

export const engineClient = Symbol('engineClient');

const sweepEveryMs = 3_000;
const retryBaseMs = 250;
const retryCapMs = 20_000;
const sweepGraceMs = 5_000;

/** Custody of deliveries: committed before the first attempt, attempted until settled, then reported to the engine. */
@Injectable()
export class DeliveriesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly claims: Batcher<DeliverySendPayload, DeliveryRow | null>;
  private readonly results: Batcher<DeliveryResult>;
  private readonly sweeper: Sweeper;

  constructor(
    @Inject(DeliveryRepository) private readonly deliveries: DeliveryRepository,
    @Inject(Deliverer) private readonly deliverer: Deliverer,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(engineClient) private readonly engine: ServiceClient,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {
    const grouped = { maxItems: 100, maxWaitMs: 0, maxRunning: 2 };
    this.claims = new Batcher((jobs) => this.claimAll(jobs), grouped);
    this.results = new Batcher<DeliveryResult>(async (results) => {
      await this.deliveries.record(results);
      return [];
    }, grouped);
    this.sweeper = new Sweeper({
      name: 'deliveries',
      everyMs: sweepEveryMs,
      batch: 500,
      sweep: (limit) => this.sweep(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeper.stop();
  }

  /** One attempt, when nobody else makes it; a settled delivery is only reported again. */
  async send(job: DeliverySendPayload): Promise<void> {
    const delivery = await this.claims.add(job.content ? job : { ...job, content: await this.readContent(job) });
    if (!delivery) {
      const row = await this.deliveries.byId(job.delivery_id);
      if (row?.settled_at) this.report(row.id, row.state as SettledDelivery['state']);
      return;
    }
    const startMs = performance.now();
    try {
      await this.conclude(delivery, await this.deliverer.attempt(delivery), performance.now() - startMs);
    } catch (error) {
      await this.tryLater(delivery, error, startMs);
    }
  }

  /** A job that cannot be read at all; the row, if there is one, is swept. */
  async bury(job: DeliverySendPayload, code: string, reason: string): Promise<void> {
    const row = await this.deliveries.byId(job.delivery_id);
    if (row) await this.finish(row, 'dead', 0, { code, detail: reason, messageId: null }, null);
  }

  private async conclude(delivery: DeliveryRow, result: AttemptResult, durationMs: number): Promise<void> {
    if (result === 'unknown') {
      await this.finish(delivery, 'unknown', durationMs, { code: 'answer_lost', detail: null, messageId: null }, null);
    } else if (result.ok) {
      await this.finish(
        delivery,
        'delivered',
        durationMs,
        { code: null, detail: null, messageId: result.message_id },
        null,
      );
    } else {
      const detail = result.error_detail?.message ?? null;
      const fromPart = result.delivered_parts ?? delivery.from_part;
      const outcome = { code: result.error, detail, messageId: null };
      const again = result.error_detail?.retryable === true && delivery.attempts < deliverySend.attempts;
      if (!again) {
        await this.finish({ ...delivery, from_part: fromPart }, 'dead', durationMs, outcome, null);
        return;
      }
      const waitMs = (result.error_detail?.retry_after ?? 0) * 1000 || this.backoffMs(delivery);
      await this.finish({ ...delivery, from_part: fromPart }, 'queued', durationMs, outcome, waitMs);
    }
  }

  private async tryLater(delivery: DeliveryRow, error: unknown, startMs: number): Promise<void> {
    const waits = error instanceof RunLater;
    const asked = error instanceof AdapterError ? error.retryAfterMs : null;
    const waitMs = waits ? error.delayMs : (asked ?? this.backoffMs(delivery));
    const outcome = {
      code: errorCode(error),
      detail: error instanceof Error ? error.message : String(error),
      messageId: null,
    };
    const permanent = error instanceof PermanentFailure;
    const exhausted = permanent || (delivery.attempts >= deliverySend.attempts && !waits);
    await this.finish(
      delivery,
      exhausted ? 'dead' : 'queued',
      performance.now() - startMs,
      outcome,
      exhausted ? null : waitMs,
    );
  }

  private async finish(
    delivery: DeliveryRow,
    state: DeliveryRow['state'],
    durationMs: number,
    outcome: { code: string | null; detail: string | null; messageId: string | null },
    retryInMs: number | null,
  ): Promise<void> {
    await this.results.add({
      id: delivery.id,
      state,
      from_part: delivery.from_part,
      error: outcome.code,
      error_detail: outcome.detail?.slice(0, 1_000) ?? null,
      provider_message_id: outcome.messageId,
      lease_until: retryInMs === null ? null : new Date(Date.now() + retryInMs),
    });
    const journalOutcome = state === 'queued' || state === 'sending' ? 'retrying' : state;
    this.metrics.hopSeconds.observe({ stage: 'delivery', outcome: journalOutcome }, durationMs / 1000);
    this.journal.append({
      receipt_id: delivery.receipt_id,
      organization_id: delivery.organization_id,
      project_id: delivery.project_id,
      app_id: delivery.app_id,
      stage: 'delivery',
      outcome: journalOutcome,
      reason: outcome.code,
      subject_id: delivery.id,
      attempt: delivery.attempts,
      duration_ms: durationMs,
      detail: outcome.detail ? { error: outcome.detail.slice(0, 500) } : null,
    });
    if (state === 'delivered' || state === 'unknown') await this.noteSent(delivery, outcome.messageId);
    if (retryInMs === null) this.report(delivery.id, state as SettledDelivery['state']);
    else this.retry(delivery, retryInMs);
  }

  /** What the provider may send back to us. The built-in App has a marker of its own instead. */
  private async noteSent(delivery: DeliveryRow, messageId: string | null): Promise<void> {
    const { app } = await this.installed.get(delivery.app_id);
    if (app.kind === 'builtin') return;
    await this.jobs.wake(outboundSent, {
      delivery_id: delivery.id,
      app_id: delivery.app_id,
      turn_id: delivery.turn_id,
      message_ids: messageId ? [messageId] : [],
      text_hash: textHash(delivery.content.text),
    });
  }

  private retry(delivery: DeliveryRow, waitMs: number): void {
    if (delivery.attempts <= 1) this.report(delivery.id, 'taken');
    const job = jobOf(delivery);
    const traveller = { payload: { ...job }, attempts: 0, addedAtMs: Date.now() };
    // Redis away: the sweeper takes the delivery up when its wait is over.
    this.jobs.sendAgain(deliverySend as never, traveller, waitMs + 5).catch(() => undefined);
  }

  private report(deliveryId: string, state: SettledDelivery['state']): void {
    void this.jobs.wake(deliverySettled, { deliveries: [{ delivery_id: deliveryId, state }] });
  }

  private async claimAll(jobs: DeliverySendPayload[]): Promise<(DeliveryRow | null)[]> {
    const rows = await this.deliveries.claim(jobs, this.settings.DELIVERY_LEASE_MS);
    const mine = new Map(rows.map((row) => [row.id, row]));
    return jobs.map((job) => {
      const row = mine.get(job.delivery_id) ?? null;
      // The same delivery twice in one batch: the first one has it.
      mine.delete(job.delivery_id);
      return row;
    });
  }

  private async readContent(job: DeliverySendPayload): Promise<OutboundContent> {
    const known = await this.deliveries.byId(job.delivery_id);
    if (known) return known.content;
    const { content } = await this.engine.get<{ content: OutboundContent }>(`/internal/replies/${job.delivery_id}`, {
      organizationId: job.organization_id,
      projectId: job.project_id,
    });
    return content;
  }

  private async sweep(limit: number): Promise<number> {
    const ageMs = await this.jobs.sweepAfterMs(deliverySend.queue, sweepGraceMs);
    const rows = await this.deliveries.overdue(ageMs, limit);
    await Promise.all(rows.map((row) => this.jobs.wake(deliverySend, jobOf(row))));
    // They stay overdue until their job runs: asking again at once would only find the same rows.
    return 0;
  }

  private backoffMs(delivery: DeliveryRow): number {
    return Math.ceil(Math.random() * Math.min(retryCapMs, retryBaseMs * 2 ** delivery.attempts));
  }
}

function jobOf(row: DeliveryRow): DeliverySendPayload {
  return {
    delivery_id: row.id,
    organization_id: row.organization_id,
    project_id: row.project_id,
    receipt_id: row.receipt_id,
    turn_id: row.turn_id,
  };
}
