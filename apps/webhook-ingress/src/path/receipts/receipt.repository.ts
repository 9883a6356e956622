import { type Endpoint, idTimeMs, newTimedId, type ProjectScope, type ScopeColumns, scopeOf } from '#libs/contracts';
import { PackedForm } from '#libs/packing';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Incoming } from '../request/incoming.js';

/** A stored request: what was received, byte for byte, and what the ingress knows about it. */
export interface Receipt extends ProjectScope {
  id: string;
  receivedAt: Date;
  appId: string;
  /** The outcome in the receipt's journal entry: `held` while its App is paused. */
  outcome: 'accepted' | 'held';
  /**
   * `missed`: fetched from the provider, after an outage. `verification`: the platform's own request, which is kept
   * for people to see and is not enqueued. `erased`: the data of its sender was erased, and with it the request.
   */
  reason: 'missed' | 'delivery_id_reused' | 'verification' | 'erased' | null;
  method: string;
  /**
   * Path and query as sent, the token included: a provider's signature may be over it. No view shows it. Whole, with the
   * public address, where another installation received it.
   */
  url: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The scheme that was checked here (`none` when the App wants no check); null when the adapter has to check. */
  verifiedScheme: string | null;
  remoteAddress: string;
}

/**
 * A key that names one delivery of a sender, scoped to its App. Hashes are latin1 strings with one character per byte:
 * making a Buffer takes a third longer than the hash itself.
 */
export interface DeliveryKey {
  hash: string;
  bodyHash: string;
}

/** The result of a write: stored, in Postgres or so far on the local disk, or the same key was there first. */
export type Written = { stored: true; spooled?: true } | { stored: false; firstId: string; sameBody: boolean };

/** The receipt of a request. Its URL is whole, because a provider's signature may be over it. No view shows it. */
export function receiptOf(endpoint: Endpoint, incoming: Incoming, verifiedScheme: string | null): Receipt {
  const { id, timeMs } = newTimedId('evt');
  return {
    id,
    // The time in the id, by which the row is looked up: ids do not follow a clock that was set back.
    receivedAt: new Date(timeMs),
    ...scopeOf(endpoint),
    appId: endpoint.app_id,
    outcome: endpoint.state === 'paused' && !incoming.probe ? 'held' : 'accepted',
    reason: incoming.probe ? 'verification' : null,
    method: incoming.method,
    url: incoming.url,
    headers: incoming.headers as Receipt['headers'],
    body: incoming.body,
    verifiedScheme,
    remoteAddress: incoming.remoteAddress,
  };
}

interface ReceiptRow extends ScopeColumns {
  id: string;
  received_at: Date;
  app_id: string;
  outcome: Receipt['outcome'];
  reason: Receipt['reason'];
  method: string;
  url: string;
  headers: string;
  body: Buffer;
  verified_scheme: string | null;
  remote_address: string;
  /** The size of the body as it came, in a receipt that is packed; its URL and headers are empty. Null: it is not. */
  packed_bytes: number | null;
}

/** Reads receipts. They are written by `write-receipts.ts`, over connections of their own. */
@Injectable()
export class ReceiptRepository {
  constructor(private readonly db: DataSource) {}

  async find(id: string): Promise<Receipt | null> {
    return (await this.findAll([id]))[0] ?? null;
  }

  /** Receipts by id, oldest first. They are found by the times in their ids: ids alone have no index. */
  async findAll(ids: string[]): Promise<Receipt[]> {
    const times = ids.map(idTimeMs).filter((time) => !Number.isNaN(time));
    if (times.length === 0) return [];
    const rows: ReceiptRow[] = await this.db.query(
      'SELECT * FROM ingress.receipt WHERE id = ANY($1) AND received_at = ANY($2) AND received_at BETWEEN $3 AND $4 ORDER BY id',
      [ids, times.map((ms) => new Date(ms)), new Date(Math.min(...times)), new Date(Math.max(...times))],
    );
    return rows.map(toReceipt);
  }
}

/** A request's columns, byte for byte. */
export type RequestColumns = Pick<ReceiptRow, 'url' | 'headers' | 'body'>;

/** Far more than is packed, which is bodies up to 64 KB and their headers, and more than an App may take. */
const mostUnpackedBytes = 32 * 1_048_576;

const firstForm = new PackedForm(
  'A receipt',
  1,
  mostUnpackedBytes,
  `"created_at":""updated_at":""timestamp":""user":{"name":""email":""message":{"text":""data":{"object":{"metadata":{"payload":{"action":""event":""type":""id":"` +
    `"traceparent":"00-"x-request-id":""x-slack-request-timestamp":""x-slack-signature":"v0="stripe-signature":"t=,v1="x-github-delivery":""x-github-event":"` +
    `"x-hub-signature-256":"sha256="x-twilio-signature":""idempotency-key":""x-forwarded-for":""x-forwarded-proto":"https""accept":"*/*""accept-encoding":"gzip, deflate, br"` +
    `"user-agent":"Mozilla/5.0 (compatible; bot)"application/x-www-form-urlencoded"charset=utf-8"content-length":"/api/v1/webhooks/` +
    `\n{"host":"","content-type":"application/json","x-signature-256":"sha256=`,
);

/**
 * URL, headers and body as one column: both texts in lines of their own, and the body.
 * @param request no line break is in its URL, and none in its headers, which are JSON
 */
export function packedRequest({ url, headers, body }: RequestColumns): Promise<Buffer> {
  return firstForm.pack(Buffer.concat([Buffer.from(`${url}\n${headers}\n`), body]));
}

/** The columns that `packedRequest` packed. */
export function unpackedRequest(packed: Buffer): RequestColumns {
  const bytes = firstForm.unpack(packed);
  const afterUrl = bytes.indexOf('\n');
  const afterHeaders = bytes.indexOf('\n', afterUrl + 1);
  return {
    url: bytes.toString('utf8', 0, afterUrl),
    headers: bytes.toString('utf8', afterUrl + 1, afterHeaders),
    body: bytes.subarray(afterHeaders + 1),
  };
}

function toReceipt(row: ReceiptRow): Receipt {
  // A release before this one erases a packed receipt without taking its mark.
  const isPacked = row.packed_bytes !== null && row.body.length > 0;
  const { url, headers, body } = isPacked ? unpackedRequest(row.body) : row;
  return {
    id: row.id,
    receivedAt: row.received_at,
    ...scopeOf(row),
    appId: row.app_id,
    outcome: row.outcome,
    reason: row.reason,
    method: row.method,
    url,
    headers: JSON.parse(headers) as Receipt['headers'],
    body,
    verifiedScheme: row.verified_scheme,
    remoteAddress: row.remote_address,
  };
}
