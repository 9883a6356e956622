import { isRefusedRow } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { LateWriter, ReceiptWriter } from './receipt-writer.js';
import type { DeliveryKey, Receipt, Written } from './receipt.repository.js';
import { Spool } from './spool.js';
import type { Item } from './write-receipts.js';

/** How often one request tries Postgres itself, once the others go straight to the spool. */
const probeMs = 1_000;
/** Short beside the second or two that a promotion takes. */
const retryMs = 100;

type HoldSettings = Pick<IngressSettings, 'HOLD_MS' | 'HOLD_MAX' | 'HOLD_MAX_BYTES' | 'RECEIPT_BATCH'>;

interface Held {
  item: Item;
  bytes: number;
  resolve: (written: Written) => void;
  reject: (error: unknown) => void;
  untilMs: number;
  /** Its write is in flight: the answer waits for the outcome, whatever the time. */
  writing: boolean;
}

/**
 * Stores receipts. While Postgres does not answer it keeps their senders waiting for a while, and stores them as soon as
 * it does: a failover is a slow answer then, not a refusal that many senders never repeat. After that they are spooled,
 * where the ingress has a disk for it.
 */
@Injectable()
export class ReceiptHold {
  private readonly logger = new Logger('receipts');
  private readonly held = new Set<Held>();
  private bytes = 0;
  private awaySinceMs: number | null = null;
  private probedAtMs = 0;
  private retrying = false;

  constructor(
    private readonly writer: ReceiptWriter,
    private readonly late: LateWriter,
    private readonly spool: Spool,
    @Inject(SETTINGS) private readonly settings: HoldSettings,
    metrics: Metrics,
  ) {
    metrics.gauge('gatehouse_receipts_held', 'Webhooks that wait for Postgres to answer', () => this.waiting);
  }

  /** Webhooks that wait now. */
  get waiting(): number {
    return this.held.size;
  }

  /**
   * Resolves when the receipt is committed, or an earlier one with one of its keys is; or when it is spooled.
   * @param patienceMs how long its sender can be kept waiting, at most HOLD_MS
   * @throws Error when it is not committed
   */
  async write(
    receipt: Receipt,
    key: DeliveryKey | null,
    signed: DeliveryKey | null,
    patienceMs: number,
  ): Promise<Written> {
    const item = { receipt, keys: [key, signed].filter((each) => each !== null) };
    const holdMs = Math.min(patienceMs, this.settings.HOLD_MS);
    if (this.awaySinceMs === null || this.isProbe()) {
      try {
        const written = await this.writer.write(receipt, key, signed);
        this.awaySinceMs = null;
        return written;
      } catch (error) {
        if (isRefusedRow(error) || (holdMs === 0 && !this.spool.isOn)) throw error;
        this.away(error);
      }
    }
    return this.hold(item, this.spool.isOn ? Math.min(holdMs, this.leftMs()) : holdMs);
  }

  /** With a spool, an outage that has lasted for HOLD_MS keeps nobody waiting any more. */
  private leftMs(): number {
    return Math.max(0, (this.awaySinceMs ?? 0) + this.settings.HOLD_MS - performance.now());
  }

  private isProbe(): boolean {
    if (this.held.size > 0 || performance.now() < this.probedAtMs + probeMs) return false;
    this.probedAtMs = performance.now();
    return true;
  }

  private away(error: unknown): void {
    if (this.awaySinceMs !== null) return;
    this.awaySinceMs = performance.now();
    this.logger.warn({ event: 'receipts.held', error: error instanceof Error ? error.message : String(error) });
  }

  private hold(item: Item, holdMs: number): Promise<Written> {
    const bytes = item.receipt.body.length;
    const full = this.held.size >= this.settings.HOLD_MAX || this.bytes + bytes > this.settings.HOLD_MAX_BYTES;
    if (this.spool.isOn && (full || holdMs === 0)) return this.spooled(item);
    if (full) {
      return Promise.reject(new Error('too many webhooks wait for Postgres (HOLD_MAX, HOLD_MAX_BYTES)'));
    }
    this.bytes += bytes;
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    const held: Held = { item, bytes, resolve, reject, untilMs: performance.now() + holdMs, writing: false };
    this.held.add(held);
    const timer = setTimeout(() => {
      if (!held.writing) this.giveUp(held);
    }, holdMs);
    void this.retry();
    return promise.finally(() => {
      clearTimeout(timer);
      this.held.delete(held);
      this.bytes -= bytes;
    });
  }

  private giveUp(held: Held): void {
    if (!this.spool.isOn) return held.reject(new Error('Postgres did not answer in time'));
    // Once: its time may be over while a write of it fails.
    if (this.held.delete(held)) this.spooled(held.item).then(held.resolve, held.reject);
  }

  private async spooled(item: Item): Promise<Written> {
    await this.spool.append(item);
    return { stored: true, spooled: true };
  }

  /** Tries to store what is held, oldest first, until nothing is. */
  private async retry(): Promise<void> {
    if (this.retrying) return;
    this.retrying = true;
    while (this.held.size > 0) {
      const batch = [...this.held].slice(0, this.settings.RECEIPT_BATCH);
      if (!(await this.store(batch))) await pause(retryMs);
    }
    this.retrying = false;
  }

  /** @returns false when Postgres did not answer */
  private async store(batch: Held[]): Promise<boolean> {
    const startedMs = performance.now();
    for (const held of batch) held.writing = true;
    const written = await Promise.allSettled(batch.map(({ item }) => this.late.write(item)));
    const answered = written.some((one) => one.status === 'fulfilled' || isRefusedRow(one.reason));
    for (const [at, held] of batch.entries()) {
      held.writing = false;
      const one = written[at];
      if (one?.status === 'fulfilled') held.resolve(one.value);
      else if (isRefusedRow(one?.reason)) held.reject(one?.reason);
      else if (performance.now() >= held.untilMs) this.giveUp(held);
    }
    if (answered && this.awaySinceMs !== null) {
      const awayMs = Math.round(startedMs - this.awaySinceMs);
      this.awaySinceMs = null;
      this.logger.log({ event: 'receipts.stored_late', away_ms: awayMs });
    }
    return answered;
  }
}
