import { Batcher } from '#libs/batching';
import { isRefusedRow, ResilientClient } from '#libs/database';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { IngressSettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { CopyEncoder, statementTimeoutMs } from './copy-encoding.js';
import type { DeliveryKey, Receipt, Written } from './receipt.js';
import { type Item, type WriterConnection, writeReceipts } from './write-receipts.js';

type ReceiptWriterSettings = Pick<IngressSettings, 'DATABASE_URL' | 'RECEIPT_BATCH' | 'RECEIPT_LEASE_MS'>;

/** By which the sweep knows the writes in flight. */
export const writerName = 'webhook-ingress-receipts';

const maxPending = 20_000;

/** Group commit: what arrives while a commit runs is written by the next one, in one round trip. */
@Injectable()
export class ReceiptWriter implements OnApplicationShutdown {
  private readonly config: pg.ClientConfig;
  /** Its own connection, not one of a pool: handing it over would let the answers of a batch go before the next commit. */
  private connection: WriterConnection | null = null;
  private readonly batcher: Batcher<Item, Written>;
  /** A receipt whose write has not begun so long after it came in is refused: the sweep would be past it. */
  private readonly waitMs: number;

  constructor(@Inject(SETTINGS) settings: ReceiptWriterSettings) {
    // The other half is for what lies between the check and the transaction's start, and for clocks that differ.
    this.waitMs = settings.RECEIPT_LEASE_MS / 2;
    this.config = {
      connectionString: settings.DATABASE_URL,
      connectionTimeoutMillis: 2_000,
      query_timeout: statementTimeoutMs + 500,
      application_name: writerName,
      keepAlive: true,
    };
    this.batcher = new Batcher((items) => this.commit(items), {
      maxItems: settings.RECEIPT_BATCH,
      maxWaitMs: 0,
      // Two at a time would be twice as many commits of half the size, for more CPU and no shorter wait.
      maxRunning: 1,
      failsByItem: isRefusedRow,
    });
  }

  /**
   * Resolves when the receipt is committed, or one before it that has one of its keys.
   * @param signed a second key: a replay that names another delivery is known by what was signed
   * @throws Error when it is not, and never will be
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
      // A connection that failed inside a COPY or a transaction is in no known state: never use it again.
      this.connection = null;
      connection.client.end().catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<WriterConnection> {
    const client = new ResilientClient(this.config);
    await client.connect();
    const connection = { client, encoder: new CopyEncoder() };
    // An idle one that the server closed is replaced at the next use; one that breaks in use fails its batch.
    client.once('end', () => {
      if (this.connection === connection) this.connection = null;
    });
    this.connection = connection;
    return connection;
  }
}
