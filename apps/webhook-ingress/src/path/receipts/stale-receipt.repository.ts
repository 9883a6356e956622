import { type Queryable, SweepMark } from '#libs/database';
import { doublingPauseSql, type DueRows, takeDueSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { writerName } from './write-receipts.js';

interface OpenReceipt {
  id: string;
  app_id: string;
  received_at: Date;
}

export interface StaleReceipt {
  receipt_id: string;
  app_id: string;
}

const staleRows: DueRows = {
  table: 'ingress.stale_receipt',
  key: 'receipt_id',
  dueAt: 'next_at',
  also: 'attempts = attempts + 1',
  pause: doublingPauseSql('attempts', 60),
};

/** Receipts that had not ended when they should have, and the mark up to which all were looked at. */
@Injectable()
export class StaleReceiptRepository {
  private readonly mark = new SweepMark<Date>();

  constructor(private readonly db: DataSource) {}

  /**
   * Moves the sweep's mark over receipts older than `ageMs`. The transaction that moves the mark also keeps those that
   * `stillOpen` names, so none is lost in between.
   * @param leaseMs no write begins with an older receipt: the mark stays behind what the writes in flight may hold
   * @returns how many receipts it read
   */
  async advanceSweep(
    ageMs: number,
    leaseMs: number,
    limit: number,
    stillOpen: (ids: string[], tx: Queryable) => Promise<string[]>,
  ): Promise<number> {
    const moved = await this.db.transaction(async (tx) => {
      const [mark] = (await tx.query('SELECT swept_to FROM ingress.sweep WHERE id = 1 FOR UPDATE SKIP LOCKED')) as {
        swept_to: Date;
      }[];
      if (!mark) return null;
      const rows = await receiptsAfter(tx, this.mark.from(mark.swept_to), ageMs, leaseMs, limit);
      const newest = rows.at(-1);
      const store = (at: Date): Promise<unknown> =>
        tx.query('UPDATE ingress.sweep SET swept_to = $1 WHERE id = 1', [at]);
      if (!newest) {
        const overdue = this.mark.overdue(mark.swept_to);
        if (overdue === null) return null;
        await store(overdue);
        return { stored: mark.swept_to, at: overdue, passed: 0, written: true, read: 0 };
      }
      // Receipts of the same millisecond as the last one may lie beyond the limit: leave them all to the next batch.
      const complete = rows.length < limit ? rows : rows.filter((row) => row.received_at < newest.received_at);
      const passed = complete.length > 0 ? complete : rows;
      const at = passed.at(-1)!.received_at;
      const stillOpenIds = new Set(
        await stillOpen(
          passed.map((row) => row.id),
          tx,
        ),
      );
      const open = passed.filter((row) => stillOpenIds.has(row.id));
      await keep(tx, open);
      const written = open.length > 0 || rows.length >= limit || this.mark.isDue(mark.swept_to, passed.length);
      if (written) await store(at);
      return { stored: mark.swept_to, at, passed: passed.length, written, read: rows.length };
    });
    if (!moved) return 0;
    this.mark.passed(moved.stored, moved.at, moved.passed, moved.written);
    return moved.read;
  }

  /** As `advanceSweep`, for receipts ahead of the mark: keeps those older than `ageMs` that `stillOpen` names. */
  async keepAhead(ageMs: number, limit: number, stillOpen: (ids: string[]) => Promise<string[]>): Promise<void> {
    for (let after: Pick<OpenReceipt, 'id' | 'received_at'> = { id: '', received_at: new Date(0) }; ;) {
      const rows = (await this.db.query(
        `SELECT id, app_id, received_at FROM ingress.receipt
          WHERE received_at > (SELECT swept_to FROM ingress.sweep WHERE id = 1)
            AND received_at <= now() - make_interval(secs => $1) AND received_at >= $2 AND (received_at, id) > ($2, $3)
            AND reason IS DISTINCT FROM 'verification'
          ORDER BY received_at, id LIMIT $4`,
        [ageMs / 1_000, after.received_at, after.id, limit],
      )) as OpenReceipt[];
      const open = new Set(await stillOpen(rows.map(({ id }) => id)));
      await keep(
        this.db,
        rows.filter(({ id }) => open.has(id)),
      );
      const last = rows.at(-1);
      if (!last || rows.length < limit) return;
      after = last;
    }
  }

  /** Makes all stale receipts due at once: their jobs may be lost. */
  async expediteAllStale(): Promise<void> {
    await this.db.query('UPDATE ingress.stale_receipt SET next_at = now() WHERE next_at > now()');
  }

  /**
   * Takes stale receipts that are due. Each is due again after a wait that doubles, up to a minute.
   * @param behindMs takes only what has been due for this long: what was enqueued later still waits in the queue
   */
  async takeStale(limit: number, behindMs: number): Promise<StaleReceipt[]> {
    const rows: unknown = await this.db.query(
      `${takeDueSql({ ...staleRows, by: 'now() - make_interval(secs => $2)' }, '$1')} RETURNING receipt_id, app_id`,
      [limit, behindMs / 1000],
    );
    return (rows as [StaleReceipt[], number])[0];
  }

  async forgetStale(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.db.query('DELETE FROM ingress.stale_receipt WHERE receipt_id = ANY($1)', [ids]);
  }

  /** Forgets those whose receipts were deleted since: by an erasure, by retention, or by a move that was aborted. */
  async forgetVanished(ids: string[]): Promise<void> {
    await this.db.query(
      `DELETE FROM ingress.stale_receipt s
        WHERE s.receipt_id = ANY($1) AND NOT EXISTS (
          SELECT FROM ingress.receipt r WHERE r.id = s.receipt_id AND r.received_at = s.received_at)`,
      [ids],
    );
  }

  /** Makes the held receipts of Apps due at once, however long the queue is: they are not in it. */
  async expediteStale(appIds: string[]): Promise<void> {
    await this.db.query('UPDATE ingress.stale_receipt SET next_at = received_at WHERE app_id = ANY($1)', [appIds]);
  }
}

/** Receipts older than what the writes in flight may hold, oldest first. */
async function receiptsAfter(
  tx: Queryable,
  mark: Date,
  ageMs: number,
  leaseMs: number,
  limit: number,
): Promise<OpenReceipt[]> {
  // Read before the receipts, so that what commits in between is seen.
  const [begun] = (await tx.query(
    `SELECT min(xact_start) AS at FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1 AND state <> 'idle'`,
    [writerName],
  )) as { at: Date | null }[];
  return (await tx.query(
    `SELECT id, app_id, received_at FROM ingress.receipt
      WHERE received_at > $1 AND received_at <= now() - make_interval(secs => $2) AND reason IS DISTINCT FROM 'verification'
        AND received_at < coalesce($4::timestamptz, 'infinity') - make_interval(secs => $5)
      ORDER BY received_at LIMIT $3`,
    [mark, ageMs / 1000, limit, begun?.at ?? null, leaseMs / 1000],
  )) as OpenReceipt[];
}

async function keep(db: Queryable, open: OpenReceipt[]): Promise<void> {
  if (open.length === 0) return;
  await db.query(
    `INSERT INTO ingress.stale_receipt (receipt_id, app_id, received_at, next_at)
     SELECT *, now() FROM unnest($1::text[], $2::text[], $3::timestamptz[])
     ON CONFLICT DO NOTHING`,
    [open.map((row) => row.id), open.map((row) => row.app_id), open.map((row) => row.received_at)],
  );
}
