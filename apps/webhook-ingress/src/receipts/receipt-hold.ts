import { isRefusedRow } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { IngressSettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { LateWriter } from './late-writer.js';
import type { DeliveryKey, Receipt, Written } from './receipt.js';
import { ReceiptWriter } from './receipt-writer.js';
import type { Item } from './write-receipts.js';

/** Short beside the second or two that a promotion takes. */
const retryMs = 100;

type HoldSettings = Pick<IngressSettings, 'HOLD_MS' | 'HOLD_MAX' | 'HOLD_MAX_BYTES' | 'RECEIPT_BATCH'>;

interface Held {
  item: Item;
  bytes: number;
  resolve: (written: Written) => void;
  reject: (error: unknown) => void;
  untilMs: number;
  /** Its write is under way: the answer waits for the outcome, whatever the time. */
  writing: boolean;
}

/**
 * Stores receipts. While Postgres does not answer it keeps their senders waiting for a while, and stores them as soon as
 * it does: a failover is a slow answer then, not a refusal that many senders never repeat.
 */
@Injectable()
export class ReceiptHold {
  private readonly logger = new Logger('receipts');
  private readonly held = new Set<Held>();
  private bytes = 0;
  private awaySinceMs: number | null = null;
  private retrying = false;

  constructor(
    private readonly writer: ReceiptWriter,
    private readonly late: LateWriter,
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
   * Resolves when the receipt is committed, or an earlier one with one of its keys is.
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
    if (this.awaySinceMs === null) {
      try {
        return await this.writer.write(receipt, key, signed);
      } catch (error) {
        if (holdMs === 0 || isRefusedRow(error)) throw error;
        this.away(error);
      }
    }
    return this.hold(item, holdMs);
  }

  private away(error: unknown): void {
    if (this.awaySinceMs !== null) return;
    this.awaySinceMs = performance.now();
    this.logger.warn({ event: 'receipts.held', error: error instanceof Error ? error.message : String(error) });
  }

  private hold(item: Item, holdMs: number): Promise<Written> {
    const bytes = item.receipt.body.length;
    if (this.held.size >= this.settings.HOLD_MAX || this.bytes + bytes > this.settings.HOLD_MAX_BYTES) {
      return Promise.reject(new Error('too many webhooks wait for Postgres (HOLD_MAX, HOLD_MAX_BYTES)'));
    }
    this.bytes += bytes;
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    const held: Held = { item, bytes, resolve, reject, untilMs: performance.now() + holdMs, writing: false };
    this.held.add(held);
    const timer = setTimeout(() => {
      if (!held.writing) reject(inTime());
    }, holdMs);
    void this.retry();
    return promise.finally(() => {
      clearTimeout(timer);
      this.held.delete(held);
      this.bytes -= bytes;
    });
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
      else if (performance.now() >= held.untilMs) held.reject(inTime());
    }
    if (answered && this.awaySinceMs !== null) {
      const awayMs = Math.round(startedMs - this.awaySinceMs);
      this.awaySinceMs = null;
      this.logger.log({ event: 'receipts.stored_late', away_ms: awayMs });
    }
    return answered;
  }
}

const inTime = (): Error => new Error('Postgres did not answer in time');
