import type pg from 'pg';
import { CopyEncoder, type ReceiptKey, statementTimeoutMs } from './copy-encoding.js';
import type { DeliveryKey, Receipt, Written } from './receipt.repository.js';

/** Identifies the writes in flight to the sweep, which reads `pg_stat_activity`. */
export const writerName = 'webhook-ingress-receipts';

/** By then a late receipt that was stored is enqueued, or the process that stored it is gone. */
const handedOverWithin = '10 seconds';

/** A receipt to store unless one of its keys is already taken. */
export interface Item {
  receipt: Receipt;
  keys: DeliveryKey[];
}

/** The encoder belongs to its connection: a failed connection may still be sending bytes of the encoder's buffer. */
export interface WriterConnection {
  client: pg.Client;
  encoder: CopyEncoder;
  /** Until then keys are looked up before a batch is written, by `performance.now()`. Absent: they are not. */
  looksUntilMs?: number;
}

/** A sender that repeats a webhook soon repeats others. Each refusal of a batch is six lines in Postgres' log. */
const looksForMs = 60_000;

/** The sweep stays behind an open transaction, so one whose process is cut off must not stay open. */
const begin = `BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`;

/**
 * Stores a batch in one transaction, receipts and keys in the same round trip. A key is rarely taken already. Then
 * Postgres refuses the whole batch, it is decided key by key, and for a while keys are looked up first.
 */
export async function writeReceipts(connection: WriterConnection, items: Item[]): Promise<(Written | Error)[]> {
  const receipts = items.map(({ receipt }) => receipt);
  const keys = sortedKeys(items);
  if (!isAnyTwice(keys) && !(await isAnyKnown(connection, keys))) {
    try {
      await copy(connection, receipts, keys);
      return items.map(() => ({ stored: true }));
    } catch (error) {
      if (!isTaken(error)) throw error;
      connection.encoder = new CopyEncoder();
      connection.looksUntilMs = performance.now() + looksForMs;
    }
  }
  return claimFirst(connection, items, keys);
}

/** Sorted, because two batches that claim the same keys in different orders deadlock. */
function sortedKeys(items: Item[]): ReceiptKey[] {
  return items
    .flatMap(({ receipt, keys }) => keys.map((key) => ({ receipt, key })))
    .sort((a, b) => order(a.key.hash, b.key.hash) || order(a.receipt.appId, b.receipt.appId));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isAnyTwice(sorted: ReceiptKey[]): boolean {
  return sorted.some(({ receipt, key }, at) => {
    const before = sorted[at - 1];
    return before !== undefined && before.receipt.appId === receipt.appId && before.key.hash === key.hash;
  });
}

async function isAnyKnown(connection: WriterConnection, keys: ReceiptKey[]): Promise<boolean> {
  if (keys.length === 0 || performance.now() > (connection.looksUntilMs ?? 0)) return false;
  const { rows } = await connection.client.query(
    `SELECT FROM ingress.delivery_key
      WHERE (app_id, key_hash) IN (SELECT * FROM unnest($1::text[], $2::bytea[])) LIMIT 1`,
    [keys.map(({ receipt }) => receipt.appId), keys.map(({ key }) => Buffer.from(key.hash, 'latin1'))],
  );
  if (rows.length > 0) connection.looksUntilMs = performance.now() + looksForMs;
  return rows.length > 0;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'delivery_key_pkey';
}

/**
 * Stores receipts whose first write failed, or was never tried, some time after they were received. The first write may
 * have been committed all the same, so what is stored already is not stored again. The sweep may have passed their time:
 * they are stale receipts from the start.
 * @returns null while a transaction of an earlier connection may still commit
 */
export async function writeLate(connection: WriterConnection, items: Item[]): Promise<(Written | Error)[] | null> {
  const { client } = connection;
  await client.query(begin);
  await client.query("SELECT pg_advisory_xact_lock(hashtext('gatehouse-late-receipts'))");
  const { rows: earlier } = await client.query(
    `SELECT FROM pg_stat_activity w, pg_stat_activity me
      WHERE me.pid = pg_backend_pid() AND w.datname = me.datname AND w.application_name = $1
        AND w.xact_start < me.backend_start LIMIT 1`,
    [writerName],
  );
  if (earlier.length > 0) {
    await client.query('ROLLBACK');
    return null;
  }
  const known = await knownAmong(client, items);
  // A receipt may be held and spooled at the same moment.
  const fresh = [...new Map(items.map((item) => [item.receipt.id, item])).values()].filter(
    ({ receipt }) => !known.has(receipt.id),
  );
  const results = new Map(items.map((item): [Item, Written | Error] => [item, { stored: true }]));
  if (fresh.length > 0) {
    const written = await storeClaimed(connection, fresh, sortedKeys(fresh));
    fresh.forEach((item, at) => results.set(item, written[at] ?? { stored: true }));
    const open = fresh.filter(
      (item, at) =>
        written[at] && 'stored' in written[at] && written[at].stored && item.receipt.reason !== 'verification',
    );
    await client.query(
      `INSERT INTO ingress.stale_receipt (receipt_id, app_id, received_at, next_at)
       SELECT *, now() + interval '${handedOverWithin}' FROM unnest($1::text[], $2::text[], $3::timestamptz[])
       ON CONFLICT DO NOTHING`,
      [
        open.map(({ receipt }) => receipt.id),
        open.map(({ receipt }) => receipt.appId),
        open.map(({ receipt }) => receipt.receivedAt),
      ],
    );
  }
  await client.query('COMMIT');
  return items.map((item) => results.get(item) ?? { stored: true });
}

async function knownAmong(client: pg.Client, items: Item[]): Promise<Set<string>> {
  const times = items.map(({ receipt }) => receipt.receivedAt.getTime());
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM ingress.receipt WHERE id = ANY($1) AND received_at = ANY($2) AND received_at BETWEEN $3 AND $4',
    [
      items.map(({ receipt }) => receipt.id),
      items.map(({ receipt }) => receipt.receivedAt),
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Claims the keys first, then writes the receipts whose keys were won, in one transaction. */
async function claimFirst(
  connection: WriterConnection,
  items: Item[],
  keyed: ReceiptKey[],
): Promise<(Written | Error)[]> {
  await connection.client.query(begin);
  const results = await storeClaimed(connection, items, keyed);
  await connection.client.query('COMMIT');
  return results;
}

async function storeClaimed(
  connection: WriterConnection,
  items: Item[],
  keyed: ReceiptKey[],
): Promise<(Written | Error)[]> {
  const { client } = connection;
  const owners = await claimKeys(client, keyed);
  const results = items.map((item) => writtenBy(item, owners));
  const stored = items.filter((_item, index) => results[index]?.stored).map((item) => item.receipt);
  const notStored = new Set(items.map(({ receipt }) => receipt.id));
  for (const { id } of stored) notStored.delete(id);
  // A receipt that lost one key may have won its other one: nothing may be a duplicate of a receipt that is not stored.
  if (items.some(({ receipt, keys }) => keys.length > 1 && notStored.has(receipt.id))) {
    await client.query('DELETE FROM ingress.delivery_key WHERE receipt_id = ANY($1)', [[...notStored]]);
  }
  if (stored.length > 0) await copy(connection, stored, []);
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
      return { stored: false, firstId: owner.receiptId, sameBody: owner.bodyHash === key.bodyHash };
    }
  }
  return { stored: true };
}

interface Owner {
  receiptId: string;
  bodyHash: string;
}

async function claimKeys(client: pg.Client, keyed: ReceiptKey[]): Promise<Map<string, Owner>> {
  const columns = [
    keyed.map((item) => item.receipt.appId),
    keyed.map((item) => Buffer.from(item.key.hash, 'latin1')),
    keyed.map((item) => item.receipt.id),
    keyed.map((item) => Buffer.from(item.key.bodyHash, 'latin1')),
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
    rows.map(({ app_id: appId, key_hash: hash, receipt_id: receiptId, body_hash: bodyHash }) => [
      ownerKey(appId, hash.toString('latin1')),
      { receiptId, bodyHash: bodyHash.toString('latin1') },
    ]),
  );
}

function ownerKey(appId: string, hash: string): string {
  return `${appId} ${hash}`;
}

function copy({ client, encoder }: WriterConnection, receipts: Receipt[], keys: ReceiptKey[]): Promise<void> {
  return client.query(new CopyQuery(encoder.encode(receipts, keys))).done;
}

/**
 * A COPY whose statement and data are sent in one write, without waiting for the server to request the data. It saves a
 * round trip and some system calls per commit. A server that refuses the statement skips the data that follows.
 */
class CopyQuery implements pg.Submittable {
  /** pg wraps it, to end a query that takes too long. */
  callback: (error: Error | null) => void = () => undefined;
  /** Resolves when the rows are committed, or are part of the transaction in progress. */
  readonly done: Promise<void>;

  constructor(private readonly messages: Buffer) {
    this.done = new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve());
    });
  }

  submit(connection: pg.Connection): void {
    connection.stream.write(this.messages);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleCopyInResponse(): void {
    // The data has been sent already.
  }

  handleCommandComplete(): void {
    // Success is ReadyForQuery: the next statement may be sent only then.
  }
}
