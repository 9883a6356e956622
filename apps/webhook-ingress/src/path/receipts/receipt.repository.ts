import { type Endpoint, idTimeMs, newTimedId, type ProjectScope, type ScopeColumns, scopeOf } from '#libs/contracts';
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
  /** Path and query as sent, the token included: a provider's signature may be over it. No view shows it. */
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
}

/** Reads receipts. They are written by `write-receipts.ts`, over connections of their own. */
@Injectable()
export class ReceiptRepository {
  constructor(private readonly db: DataSource) {}

  async find(id: string): Promise<Receipt | null> {
    return (await this.findAll([id]))[0] ?? null;
  }

  /** Receipts by id, oldest first. The times in the ids limit the search to their partitions. */
  async findAll(ids: string[]): Promise<Receipt[]> {
    const times = ids.map(idTimeMs).filter((time) => !Number.isNaN(time));
    if (times.length === 0) return [];
    const rows: ReceiptRow[] = await this.db.query(
      'SELECT * FROM ingress.receipt WHERE id = ANY($1) AND received_at BETWEEN $2 AND $3 ORDER BY id',
      [ids, new Date(Math.min(...times) - 60_000), new Date(Math.max(...times) + 60_000)],
    );
    return rows.map(toReceipt);
  }
}

function toReceipt(row: ReceiptRow): Receipt {
  return {
    id: row.id,
    receivedAt: row.received_at,
    ...scopeOf(row),
    appId: row.app_id,
    outcome: row.outcome,
    reason: row.reason,
    method: row.method,
    url: row.url,
    headers: JSON.parse(row.headers) as Receipt['headers'],
    body: row.body,
    verifiedScheme: row.verified_scheme,
    remoteAddress: row.remote_address,
  };
}
