import { Batcher } from '#libs/batching';
import { isRefusedRow, ResilientClient } from '#libs/database';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { CopyEncoder, statementTimeoutMs } from './copy-encoding.js';
import type { DeliveryKey, Receipt, Written } from './receipt.repository.js';
import { type Item, writeLate, type WriterConnection, writeReceipts, writerName } from './write-receipts.js';

type ReceiptWriterSettings = Pick<IngressSettings, 'DATABASE_URL' | 'RECEIPT_BATCH' | 'RECEIPT_LEASE_MS'>;

const maxPending = 20_000;

/** Group commit: what arrives during one commit is written by the next, in one round trip. */
@Injectable()
export class ReceiptWriter implements OnApplicationShutdown {
  private readonly config: pg.ClientConfig;
  /**
   * A connection of its own: while a pooled one is handed over, a batch's answers would go out before the next commit.
   */
  private connection: WriterConnection | null = null;
  private readonly batcher: Batcher<Item, Written>;
  /** A receipt whose write has not begun by this age is refused, because the sweep may have passed it. */
  private readonly waitMs: number;

  constructor(@Inject(SETTINGS) settings: ReceiptWriterSettings) {
    // The other half covers the time between this check and the start of the transaction, and clocks that differ.
    this.waitMs = settings.RECEIPT_LEASE_MS / 2;
    this.config = connectionAs(writerName, settings.DATABASE_URL);
    this.batcher = new Batcher((items) => this.commit(items), {
      maxItems: settings.RECEIPT_BATCH,
      maxWaitMs: 0,
      // Two at a time would make twice as many commits of half the size: more CPU and no shorter wait.
      maxRunning: 1,
      failsByItem: isRefusedRow,
    });
  }

  /**
   * Resolves when the receipt is committed, or an earlier one with one of its keys is.
   * @param signed a second key, which recognises a replay under another delivery id by what was signed
   * @throws Error when it is not committed, and never will be
   */
  write(receipt: Receipt, key: DeliveryKey | null, signed: DeliveryKey | null = null): Promise<Written> {
    if (this.batcher.pending >= maxPending) return Promise.reject(new Error('too many receipts wait for Postgres'));
    return this.batcher.add({ receipt, keys: [key, signed].filter((each) => each !== null) });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.batcher.drain();
    await this.connection?.client.end();
  }

  private async commit(items: Item[]): Promise<(Written | Error)[]> {
    const connection = this.connection ?? (await this.connect());
    try {
      const oldestMs = Date.now() - this.waitMs;
      const inTime = items.filter((item) => item.receipt.receivedAt.getTime() >= oldestMs);
      if (inTime.length === items.length) return await writeReceipts(connection, items);
      const written = inTime.length > 0 ? await writeReceipts(connection, inTime) : [];
      const results = new Map(inTime.map((item, index) => [item, written[index]]));
      return items.map((item) => results.get(item) ?? new Error('the receipt waited too long for Postgres'));
    } catch (error) {
      // A connection that failed inside a COPY or a transaction is in an unknown state: never use it again.
      this.connection = null;
      connection.client.end().catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<WriterConnection> {
    const client = new ResilientClient(this.config);
    await client.connect();
    const connection = { client, encoder: new CopyEncoder() };
    // An idle connection that the server closed is replaced at the next use; one that breaks in use fails its batch.
    client.once('end', () => {
      if (this.connection === connection) this.connection = null;
    });
    this.connection = connection;
    return connection;
  }
}

/** An earlier transaction ends by its statement timeout, or with its process. */
const earlierMs = 100;

/** Stores receipts that were held while Postgres did not answer, over a connection that lasts as long as there are any. */
@Injectable()
export class LateWriter implements OnApplicationShutdown {
  private connection: WriterConnection | null = null;
  private readonly batcher: Batcher<Item, Written>;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<IngressSettings, 'DATABASE_URL' | 'RECEIPT_BATCH'>) {
    this.batcher = new Batcher((items) => this.commit(items), {
      maxItems: settings.RECEIPT_BATCH,
      maxWaitMs: 0,
      maxRunning: 1,
      failsByItem: isRefusedRow,
    });
  }

  /**
   * Resolves when the receipt is committed, by this call or by an earlier one under its id.
   * @throws Error when Postgres does not answer, or refuses this receipt
   */
  write(item: Item): Promise<Written> {
    return this.batcher.add(item);
  }

  /**
   * As `write`, for one that was acknowledged. If its key was used before with another body, it is kept without the key.
   * @throws Error as `write`
   */
  async keep(item: Item): Promise<Written> {
    const written = await this.write(item);
    if (written.stored || written.sameBody) return written;
    return this.write({ receipt: { ...item.receipt, reason: 'delivery_id_reused' }, keys: [] });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.batcher.drain();
    await this.end();
  }

  private async commit(items: Item[]): Promise<(Written | Error)[]> {
    try {
      for (;;) {
        const connection = (this.connection ??= await this.connect());
        const written = await writeLate(connection, items);
        if (written) return written;
        await pause(earlierMs);
      }
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      if (this.batcher.pending === 0) await this.end();
    }
  }

  private async connect(): Promise<WriterConnection> {
    const client = new ResilientClient(connectionAs('webhook-ingress-late-receipts', this.settings.DATABASE_URL));
    await client.connect();
    return { client, encoder: new CopyEncoder() };
  }

  private async end(): Promise<void> {
    const { connection } = this;
    this.connection = null;
    await connection?.client.end().catch(() => undefined);
  }
}

function connectionAs(name: string, url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: statementTimeoutMs + 500,
    application_name: name,
    keepAlive: true,
  };
}
