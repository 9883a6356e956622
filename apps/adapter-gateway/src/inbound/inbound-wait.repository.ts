import type { InboundParsePayload } from '#libs/contracts';
import { isGone, storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import type { AdapterLoad } from '../adapters/adapter-client.js';
import { InboundWaitRow } from './inbound-wait.entity.js';

/** A receipt to retry. */
export interface Rescheduled {
  job: InboundParsePayload;
  adapterId: string;
  code: string;
  waitMs: number;
  /** 1 when the attempt counts, 0 for a pause. */
  attempts: 0 | 1;
}

export interface Waiting {
  attempts: number;
  waitingSince: Date;
  /** Why it waited before; null when it did not. */
  previousCode: string | null;
}

@Injectable()
export class InboundWaitRepository {
  constructor(@InjectRepository(InboundWaitRow) private readonly rows: Repository<InboundWaitRow>) {}

  /** @param list has no receipt twice @returns in the order of the list */
  async put(list: Rescheduled[]): Promise<Waiting[]> {
    // In id order: batches of two processes that share ids would otherwise deadlock.
    const sorted = [...list].sort((a, b) => (a.job.receipt_id < b.job.receipt_id ? -1 : 1));
    const column = <T>(of: (entry: Rescheduled) => T): T[] => sorted.map(of);
    const rows = (await this.rows.query(
      `WITH before AS (SELECT receipt_id, code FROM gateway.inbound_wait WHERE receipt_id = ANY($1))
       INSERT INTO gateway.inbound_wait AS w (receipt_id, adapter_id, job, attempts, code, taken, next_at, waiting_since)
       SELECT id, adapter, job, attempts, code, false, now() + make_interval(secs => wait), now()
         FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::int[], $5::text[], $6::float8[])
           AS t(id, adapter, job, attempts, code, wait)
       ON CONFLICT (receipt_id) DO UPDATE SET adapter_id = excluded.adapter_id, code = excluded.code,
         attempts = w.attempts + excluded.attempts, taken = false, next_at = excluded.next_at
       RETURNING w.receipt_id, w.attempts, w.waiting_since,
         (SELECT before.code FROM before WHERE before.receipt_id = w.receipt_id) AS previous`,
      [
        column(({ job }) => job.receipt_id),
        column(({ adapterId }) => adapterId),
        column(({ job: { request: _request, ...rest } }) => storableJson(rest)),
        column(({ attempts }) => attempts),
        column(({ code }) => code),
        column(({ waitMs }) => waitMs / 1_000),
      ],
    )) as { receipt_id: string; attempts: number; waiting_since: Date; previous: string | null }[];
    const byId = new Map(rows.map((row) => [row.receipt_id, row]));
    return list.map(({ job }) => {
      const row = byId.get(job.receipt_id);
      if (!row) throw new Error(`the receipt ${job.receipt_id} was not kept`);
      return { attempts: row.attempts, waitingSince: row.waiting_since, previousCode: row.previous };
    });
  }

  /**
   * Takes due receipts whose adapter can take them. Receipts of an adapter that is not ready or is busy are not even
   * read, however many there are. For an adapter whose circuit is half open, one receipt is taken.
   * @param by the process that takes them; after `leaseMs` without an outcome, another one may
   */
  async take(
    load: AdapterLoad,
    perAdapter: number,
    limit: number,
    { by, leaseMs }: { by: string; leaseMs: number },
  ): Promise<InboundWaitRow[]> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.inbound_wait SET taken = true, taken_by = $6, next_at = now() + make_interval(secs => $5)
        WHERE receipt_id IN (
          SELECT due.receipt_id FROM gateway.adapter a CROSS JOIN LATERAL (
            SELECT w.receipt_id FROM gateway.inbound_wait w WHERE w.adapter_id = a.id AND w.next_at <= now()
             ORDER BY w.next_at LIMIT CASE WHEN a.base_url = ANY($2) THEN 1 ELSE $3 END FOR UPDATE SKIP LOCKED) due
           WHERE a.state = 'ready' AND NOT a.disabled AND a.base_url <> ALL($1) LIMIT $4)
        RETURNING *`,
      [load.closedTo, load.onTrial, perAdapter, limit, leaseMs / 1_000, by],
    )) as [InboundWaitRow[], number];
    return rows;
  }

  has(receiptId: string): Promise<boolean> {
    return this.rows.existsBy({ receipt_id: receiptId });
  }

  /** Removes receipts that wait for an unregistered adapter: nothing else takes them. */
  async removeOrphaned(limit: number): Promise<InboundParsePayload[]> {
    const [rows] = (await this.rows.query(
      `DELETE FROM gateway.inbound_wait WHERE receipt_id IN (
         SELECT receipt_id FROM gateway.inbound_wait w
          WHERE NOT EXISTS (SELECT FROM gateway.adapter WHERE adapter.id = w.adapter_id) LIMIT $1)
       RETURNING job`,
      [limit],
    )) as [{ job: InboundParsePayload }[], number];
    return rows.map(({ job }) => job);
  }

  /** Makes what waits for the adapters at an address due now, except what the adapters rescheduled themselves. */
  async expedite(baseUrl: string, exceptCode: string): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.inbound_wait SET next_at = now()
        WHERE adapter_id IN (SELECT id FROM gateway.adapter WHERE base_url = $1) AND code <> $2
          AND NOT taken AND next_at > now()`,
      [baseUrl, exceptCode],
    );
  }

  /** Makes receipts of these Apps that wait for one of these reasons due now. */
  async release(appIds: string[], codes: string[]): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.inbound_wait SET next_at = now()
        WHERE receipt_id IN (
          SELECT w.receipt_id FROM gateway.app a JOIN gateway.inbound_wait w
              ON w.adapter_id = a.adapter_id AND w.job ->> 'app_id' = a.id
           WHERE a.id = ANY($1) AND w.code = ANY($2) AND NOT w.taken AND w.next_at > now()
           ORDER BY w.receipt_id FOR UPDATE OF w SKIP LOCKED)`,
      [appIds, codes],
    );
  }

  /** Releases receipts that dead processes had taken. */
  async takeFromGone(): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.inbound_wait SET taken = false, next_at = now() WHERE taken AND ${isGone('taken_by')}`,
    );
  }

  /** Releases a receipt that was taken and not attempted. */
  async giveBack(receiptId: string, waitMs: number): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.inbound_wait SET taken = false, next_at = now() + make_interval(secs => $2)
        WHERE receipt_id = $1 AND taken`,
      [receiptId, waitMs / 1_000],
    );
  }

  async forget(receiptIds: string[]): Promise<void> {
    await this.rows.delete({ receipt_id: In(receiptIds) });
  }
}
