import { Batcher } from '#libs/batching';
import { isRefusedRow, SurvivingClient } from '#libs/database';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CopyEncoder, statementTimeoutMs } from './copy-encoding.js';
import { CopyQuery } from './copy-query.js';
import type { DeliveryKey, Receipt, Written } from './receipt.js';

export const receiptWriterSettings = Symbol('receiptWriterSettings');

export interface ReceiptWriterSettings {
  databaseUrl: string;
  batch: number;
  /** A receipt whose write has not begun so long after it came in is refused: the sweep would be past it. */
  waitMs: number;
}

/** By which the sweep knows the writes under way. */
export const writerName = 'webhook-ingress-receipts';

interface Item {
  receipt: Receipt;
  keys: DeliveryKey[];
}

/** The sweep stays behind a transaction that is open: one whose process is cut off must not stay open. */
const begin = `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`;
const maxPending = 20_000;

/** Group commit: what arrives while a commit runs is written by the next one, in one COPY. */
@Injectable()
export class ReceiptWriter implements OnApplicationShutdown {
  private readonly config: pg.ClientConfig;
  /** Its own connection, not one of a pool: handing it over would let the answers of a batch go before the next commit. */
  private connection: Connection | null = null;
  private readonly batcher: Batcher<Item, Written>;

  constructor(@Inject(receiptWriterSettings) private readonly settings: ReceiptWriterSettings) {
    this.config = {
      connectionString: settings.databaseUrl,
      connectionTimeoutMillis: 2_000,
      query_timeout: statementTimeoutMs + 500,
      application_name: writerName,
      keepAlive: true,
    };
    this.batcher = new Batcher((items) => this.commit(items), {
      maxItems: settings.batch,
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
      const oldestMs = Date.now() - this.settings.waitMs;
      const inTime = items.filter((item) => item.receipt.receivedAt.getTime() >= oldestMs);
      if (inTime.length === items.length) return await write(connection, items);
      const written = inTime.length > 0 ? await write(connection, inTime) : [];
      const results = new Map(inTime.map((item, index) => [item, written[index]]));
      return items.map((item) => results.get(item) ?? new Error('the receipt waited too long for Postgres'));
    } catch (error) {
      // A connection that failed inside a COPY or a transaction is in no known state: never use it again.
      this.connection = null;
      connection.client.end().catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<Connection> {
    const client = new SurvivingClient(this.config);
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

/** The encoder goes with its connection: one that failed may still be sending the bytes of its buffer. */
interface Connection {
  client: pg.Client;
  encoder: CopyEncoder;
}

async function write(connection: Connection, items: Item[]): Promise<(Written | Error)[]> {
  if (items.some((item) => item.keys.length > 0)) return commitKeyed(connection, items);
  await copy(
    connection,
    items.map((item) => item.receipt),
  );
  return items.map(() => ({ stored: true }));
}

/** With delivery keys: claims the keys first, then writes the receipts whose key was won, in one transaction. */
async function commitKeyed(connection: Connection, items: Item[]): Promise<(Written | Error)[]> {
  const { client } = connection;
  const keyed = items
    .flatMap(({ receipt, keys }) => keys.map((key) => ({ receipt, key })))
    // Sorted, because two batches that claim the same keys in different orders deadlock.
    .sort((a, b) => Buffer.compare(a.key.hash, b.key.hash));
  await client.query(begin);
  const owners = await claimKeys(client, keyed);
  const results = items.map((item) => writtenBy(item, owners));
  const stored = items.filter((_item, index) => results[index]?.stored).map((item) => item.receipt);
  const notStored = new Set(items.map(({ receipt }) => receipt.id));
  for (const { id } of stored) notStored.delete(id);
  // One that lost a key may have won its other one: nothing may be a duplicate of what is not there.
  if (items.some(({ receipt, keys }) => keys.length > 1 && notStored.has(receipt.id))) {
    await client.query('DELETE FROM ingress.delivery_key WHERE receipt_id = ANY($1)', [[...notStored]]);
  }
  if (stored.length > 0) await copy(connection, stored);
  await client.query('COMMIT');
  return results.map((result) =>
    !result.stored && notStored.has(result.firstId)
      ? new Error('the delivery with the same key was not stored: send again')
      : result,
  );
}

function writtenBy({ receipt, keys }: Item, owners: Map<string, Owner>): Written {
  for (const key of keys) {
    const owner = owners.get(ownerKey(receipt.appId, key.hash));
    if (owner && owner.receiptId !== receipt.id) {
      return { stored: false, firstId: owner.receiptId, sameBody: owner.bodyHash.equals(key.bodyHash) };
    }
  }
  return { stored: true };
}

interface Owner {
  receiptId: string;
  bodyHash: Buffer;
}

async function claimKeys(
  client: pg.Client,
  keyed: { receipt: Receipt; key: DeliveryKey }[],
): Promise<Map<string, Owner>> {
  const columns = [
    keyed.map((item) => item.receipt.appId),
    keyed.map((item) => item.key.hash),
    keyed.map((item) => item.receipt.id),
    keyed.map((item) => item.key.bodyHash),
    keyed.map((item) => item.receipt.receivedAt),
  ];
  await client.query(
    `INSERT INTO ingress.delivery_key (app_id, key_hash, receipt_id, body_hash, received_at)
     SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::bytea[], $5::timestamptz[])
     ON CONFLICT DO NOTHING`,
    columns,
  );
  const { rows } = await client.query<{ app_id: string; key_hash: Buffer; receipt_id: string; body_hash: Buffer }>(
    `SELECT app_id, key_hash, receipt_id, body_hash FROM ingress.delivery_key
      WHERE (app_id, key_hash) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
    columns.slice(0, 2),
  );
  return new Map(
    rows.map((row) => [ownerKey(row.app_id, row.key_hash), { receiptId: row.receipt_id, bodyHash: row.body_hash }]),
  );
}

function ownerKey(appId: string, hash: Buffer): string {
  return `${appId} ${hash.toString('base64')}`;
}

function copy({ client, encoder }: Connection, receipts: Receipt[]): Promise<void> {
  return client.query(new CopyQuery(encoder.encode(receipts))).done;
}
