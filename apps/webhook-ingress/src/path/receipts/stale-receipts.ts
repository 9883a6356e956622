import { inboundParse, messageRoute } from '#libs/contracts';
import { Liveness, type Queryable } from '#libs/database';
import { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { EndpointService } from '../endpoints/endpoint.service.js';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { Dispatcher } from './dispatcher.js';
import { ReceiptRepository } from './receipt.repository.js';
import { StaleReceiptRepository } from './stale-receipt.repository.js';

const aheadBatch = 1_000;
const longestBackoffMs = Math.max(inboundParse.backoff.capMs, messageRoute.backoff.capMs);

/** Taken even when there is no room: a busy installation may have none at every check. */
const leastTaken = 32;

/** A receipt that waits longer than this for room counts as not ended: one project must not hold up the whole sweep. */
const longestWaitMs = 60_000;

/**
 * Finds receipts that have not ended and enqueues them again. A receipt that still waits in a queue is late, not lost:
 * enqueuing it again would only parse it twice, so both steps skip it.
 */
@Injectable()
export class StaleReceipts {
  constructor(
    private readonly rows: StaleReceiptRepository,
    private readonly receipts: ReceiptRepository,
    @Inject(JobClient) private readonly jobs: Pick<JobClient, 'behindMs'>,
    private readonly dispatcher: Dispatcher,
    @Inject(EndpointService) private readonly endpoints: Pick<EndpointService, 'get'>,
    private readonly journal: Journal,
    @Inject(Liveness) private readonly losses: Pick<Liveness, 'sinceLossMs'>,
    @Inject(SETTINGS) private readonly settings: Pick<IngressSettings, 'RECEIPT_LEASE_MS'>,
  ) {}

  /** Moves the sweep's mark on. @returns how many receipts it looked at */
  async find(limit: number): Promise<number> {
    const { parseMs, routeMs } = await this.behind();
    const { RECEIPT_LEASE_MS: leaseMs } = this.settings;
    return this.rows.advanceSweep(leaseMs + parseMs + routeMs, leaseMs, limit, (ids, tx) => this.open(ids, tx));
  }

  /**
   * Treats every receipt that has not ended and waits in no queue as lost, whatever its lease: the process that had it,
   * or what Redis held, is gone. The mark stays where it is.
   */
  async findAfterLoss(): Promise<void> {
    const { parseMs, routeMs } = await this.behind();
    await this.rows.expediteAllStale();
    await this.rows.keepAhead(parseMs + routeMs, aheadBatch, (ids) => this.open(ids));
  }

  /** @returns how many receipts were due, enqueued or not */
  async enqueue(limit: number): Promise<number> {
    const { parseMs, routeMs } = await this.behind();
    const most = Math.min(limit, Math.max(leastTaken, this.dispatcher.room));
    const due = await this.rows.takeStale(most, parseMs + routeMs);
    if (due.length === 0) return 0;
    const ids = due.map((stale) => stale.receipt_id);
    const ended = await this.journal.endedAmong(ids);
    await this.rows.forgetStale([...ended]);
    // A receipt that reported a retry comes again by itself, unless the process that has it was lost.
    const quietMs = Math.min(this.settings.RECEIPT_LEASE_MS + longestBackoffMs, this.losses.sinceLossMs);
    const inFlight = await this.journal.heardOfWithin(ids, quietMs + routeMs);
    const lost = due
      .filter(({ receipt_id: id }) => !ended.has(id) && !inFlight.has(id) && !this.dispatcher.holds(id))
      .filter((stale) => this.endpoints.get(stale.app_id)?.state !== 'paused');
    // Of paused Apps, too, whose receipts are not read.
    await this.rows.forgetVanished(ids);
    const receipts = await this.receipts.findAll(lost.map((stale) => stale.receipt_id));
    const attempts = await this.journal.attemptsOf(receipts.map(({ id }) => id));
    for (const receipt of receipts) this.dispatcher.offer(receipt, attempts.get(receipt.id) ?? 0);
    return due.length;
  }

  private async open(ids: string[], tx?: Queryable): Promise<string[]> {
    const ended = await this.journal.endedAmong(ids, tx);
    return ids.filter((id) => !ended.has(id));
  }

  /** How far the gateway and the router are behind, in ms. A receipt ends at the router, so both queues count. */
  private async behind(): Promise<{ parseMs: number; routeMs: number }> {
    const [inboundMs, routeMs] = await Promise.all([
      this.jobs.behindMs(inboundParse.queue),
      this.jobs.behindMs(messageRoute.queue),
    ]);
    return { parseMs: Math.max(inboundMs, Math.min(this.dispatcher.oldestMs, longestWaitMs)), routeMs };
  }
}
