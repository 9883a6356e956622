import { Batcher } from '#libs/batching';
import { isRefusedRow, ResilientClient } from '#libs/database';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { IngressSettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { CopyEncoder, statementTimeoutMs } from './copy-encoding.js';
import type { Written } from './receipt.js';
import { type Item, type WriterConnection, writeLate } from './write-receipts.js';

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
    const client = new ResilientClient({
      connectionString: this.settings.DATABASE_URL,
      connectionTimeoutMillis: 2_000,
      query_timeout: statementTimeoutMs + 500,
      application_name: 'webhook-ingress-late-receipts',
      keepAlive: true,
    });
    await client.connect();
    return { client, encoder: new CopyEncoder() };
  }

  private async end(): Promise<void> {
    const { connection } = this;
    this.connection = null;
    await connection?.client.end().catch(() => undefined);
  }
}
