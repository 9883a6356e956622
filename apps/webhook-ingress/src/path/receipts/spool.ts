import { Batcher } from '#libs/batching';
import { columnsOf } from '#libs/contracts';
import { isRefusedRow, Sweeper } from '#libs/database';
import { Journal } from '#libs/journal';
import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { Dispatcher } from './dispatcher.js';
import { LateWriter } from './receipt-writer.js';
import type { Written } from './receipt.repository.js';
import type { Item } from './write-receipts.js';
import { type Spooled, type SpoolFile, SpoolFiles } from './spool-files.js';

const moveEveryMs = 500;

type SpoolSettings = Pick<IngressSettings, 'SPOOL_DIR' | 'SPOOL_MAX_BYTES' | 'RECEIPT_BATCH'>;

/**
 * Receipts on the local disk, acknowledged while Postgres did not answer. They are moved to Postgres when it is back, in
 * order, beside what comes then. Moving one twice stores it once.
 */
@Injectable()
export class Spool implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('spool');
  private readonly files: SpoolFiles | null;
  private readonly appends: Batcher<Spooled>;
  private readonly mover: Sweeper;
  /** Read, and not stored as a whole yet. */
  private moving: SpoolFile | null = null;

  constructor(
    private readonly late: LateWriter,
    @Inject(Dispatcher) private readonly dispatcher: Pick<Dispatcher, 'offer'>,
    @Inject(Journal) private readonly journal: Pick<Journal, 'append'>,
    @Inject(SETTINGS) private readonly settings: SpoolSettings,
    metrics: Metrics,
  ) {
    const { SPOOL_DIR: directory, SPOOL_MAX_BYTES: maxBytes } = settings;
    this.files = directory === null ? null : new SpoolFiles(directory, maxBytes);
    const files = this.files;
    this.appends = new Batcher<Spooled>(async (spooled) => ((await files?.append(spooled)) ?? []) as Error[], {
      maxItems: 1_000,
      maxWaitMs: 0,
      maxRunning: 1,
    });
    this.mover = new Sweeper({ name: 'spool', everyMs: moveEveryMs, batch: 1, sweep: () => this.moveOldest() });
    const help = 'Bytes of webhooks that were acknowledged from the local disk and are not in Postgres yet';
    metrics.gauge('gatehouse_spool_bytes', help, () => this.bytes);
    if (files) metrics.gauge('gatehouse_spool_room_bytes', 'Bytes that the spool still takes', () => files.room);
  }

  get isOn(): boolean {
    return this.files !== null;
  }

  /** Bytes that wait here. */
  get bytes(): number {
    return this.files?.bytes ?? 0;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.files) return;
    await this.files.open();
    if (this.files.bytes > 0) this.logger.warn({ event: 'spool.found', bytes: this.files.bytes });
    this.mover.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.appends.drain();
    if (this.files) await this.mover.stop();
    await this.files?.close();
  }

  /** Resolves when the receipt is on the disk. @throws Error when it is not: no room, or no disk */
  async append(item: Item): Promise<void> {
    await this.appends.add({ item, spooledAt: new Date() });
  }

  /** @returns 1 when there may be more */
  private async moveOldest(): Promise<number> {
    if (!this.moving) {
      this.moving = (await this.files?.oldest()) ?? null;
      if (this.moving) this.report(this.moving);
    }
    const file = this.moving;
    if (!file) return 0;
    for (let at = 0; at < file.spooled.length; at += this.settings.RECEIPT_BATCH) {
      if (!(await this.move(file.spooled.slice(at, at + this.settings.RECEIPT_BATCH)))) return 0;
    }
    this.moving = null;
    await this.files?.remove(file);
    this.logger.log({ event: 'spool.moved', receipts: file.spooled.length, bytes: file.bytes });
    return 1;
  }

  private report({ path, tornBytes, damaged }: SpoolFile): void {
    if (tornBytes > 0) this.logger.warn({ event: 'spool.torn', path, bytes: tornBytes });
    if (damaged > 0) this.logger.error({ event: 'spool.damaged', path, records: damaged });
  }

  /** @returns false when Postgres did not answer: the file is moved again from its beginning */
  private async move(batch: Spooled[]): Promise<boolean> {
    const written = await Promise.allSettled(batch.map(({ item }) => this.late.keep(item)));
    const refused = batch.filter((_one, at) => isRefused(written[at]));
    if (written.filter(({ status }) => status === 'rejected').length > refused.length) return false;
    if (refused.length > 0) {
      this.logger.error({ event: 'spool.refused', receipts: refused.map(({ item }) => item.receipt.id) });
      await this.files?.setAside(refused);
    }
    for (const [at, one] of batch.entries()) {
      const result = written[at];
      if (result?.status === 'fulfilled' && result.value.stored) this.handOver(one);
      else if (result?.status === 'fulfilled') this.logger.log({ event: 'spool.duplicate', id: one.item.receipt.id });
    }
    return true;
  }

  private handOver({ item: { receipt }, spooledAt }: Spooled): void {
    this.journal.append({
      receipt_id: receipt.id,
      ...columnsOf(receipt),
      app_id: receipt.appId,
      stage: 'received',
      outcome: 'held',
      reason: 'spooled',
      at: spooledAt,
      duration_ms: Date.now() - spooledAt.getTime(),
      detail: {
        moved_at: new Date().toISOString(),
        advice:
          'Postgres did not answer. It was acknowledged from the local disk of the ingress, and stored when it was back.',
      },
    });
    if (receipt.outcome !== 'held') this.dispatcher.offer(receipt);
  }
}

function isRefused(result: PromiseSettledResult<Written> | undefined): boolean {
  return result?.status === 'rejected' && isRefusedRow(result.reason);
}
