import type { ProjectScope } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeliveryKey } from '../../path/receipts/receipt.repository.js';

/** By then what has not ended is among the stale receipts, unless the sweep is behind. */
const recent = `interval '2 minutes'`;
/** Of the answer to "how many wait". */
const mostCounted = 10_000;

const unended = `r.project_id = $1 AND r.organization_id = $2 AND r.reason IS DISTINCT FROM 'verification'
  AND r.reason IS DISTINCT FROM 'erased'
  AND NOT EXISTS (SELECT FROM journal.entry e WHERE e.receipt_id = r.id AND e.terminal)`;

export interface WaitingReceipts {
  /** At most 10,000. */
  waiting: number;
  oldest_at: string | null;
  /** When the last webhook came here, whatever became of it. */
  last_received_at: string | null;
}

/** The receipts of a project that has left: what has not ended is handed on, each one once. */
@Injectable()
export class HandedOnRepository {
  constructor(
    private readonly db: DataSource,
    @Inject(Journal) private readonly journal: Pick<Journal, 'endedAmong'>,
  ) {}

  /** Ids of receipts that have not ended, oldest first. @param maxBytes of their bodies together, whatever the first has */
  async next({ projectId, organizationId }: ProjectScope, limit: number, maxBytes: number): Promise<string[]> {
    const stale = await this.stale(projectId, limit);
    const rows = (await this.db.query(
      `SELECT r.id, octet_length(r.body) AS bytes FROM ingress.receipt r
        WHERE (r.received_at > now() - ${recent} OR r.id = ANY($3)) AND ${unended} ORDER BY r.id LIMIT $4`,
      [projectId, organizationId, stale, limit],
    )) as { id: string; bytes: number }[];
    let bytes = 0;
    const within = rows.filter((row, at) => (bytes += row.bytes) <= maxBytes || at === 0);
    return within.map(({ id }) => id);
  }

  async waiting({ projectId, organizationId }: ProjectScope): Promise<WaitingReceipts> {
    const scope = [projectId, organizationId];
    const [[counted], [last]] = await Promise.all([
      this.db.query(
        `SELECT count(*)::integer AS waiting, min(received_at) AS oldest_at FROM (
           SELECT r.received_at FROM ingress.receipt r WHERE ${unended} ORDER BY r.id DESC LIMIT ${mostCounted}) AS unended`,
        scope,
      ) as Promise<{ waiting: number; oldest_at: Date | null }[]>,
      this.db.query(
        `SELECT received_at FROM ingress.receipt WHERE project_id = $1 AND organization_id = $2
          ORDER BY id DESC LIMIT 1`,
        scope,
      ) as Promise<{ received_at: Date }[]>,
    ]);
    return {
      waiting: counted?.waiting ?? 0,
      oldest_at: counted?.oldest_at?.toISOString() ?? null,
      last_received_at: last?.received_at.toISOString() ?? null,
    };
  }

  /** The keys under which a repeated delivery of each receipt is recognised. */
  async keysOf(ids: string[], since: Date): Promise<Map<string, DeliveryKey[]>> {
    const rows = (await this.db.query(
      `SELECT receipt_id, key_hash, body_hash FROM ingress.delivery_key
        WHERE receipt_id = ANY($1) AND received_at >= $2 ORDER BY key_hash`,
      [ids, since],
    )) as { receipt_id: string; key_hash: Buffer; body_hash: Buffer }[];
    const keys = Map.groupBy(rows, ({ receipt_id: id }) => id);
    return new Map(
      ids.map((id) => [
        id,
        (keys.get(id) ?? []).map(({ key_hash: hash, body_hash: bodyHash }) => ({
          hash: hash.toString('latin1'),
          bodyHash: bodyHash.toString('latin1'),
        })),
      ]),
    );
  }

  /**
   * Takes custody of receipts that were handed on: of those that were copied before, too.
   * @returns ids of those that have not ended
   */
  async keep({ projectId }: ProjectScope, ids: string[], since: Date, until: Date): Promise<Set<string>> {
    const ended = await this.journal.endedAmong(ids);
    const open = ids.filter((id) => !ended.has(id));
    await this.db.query(
      `INSERT INTO ingress.stale_receipt (receipt_id, app_id, received_at, next_at)
       SELECT id, app_id, received_at, now() + interval '10 seconds' FROM ingress.receipt
        WHERE id = ANY($1) AND project_id = $2 AND received_at BETWEEN $3 AND $4 ON CONFLICT DO NOTHING`,
      [open, projectId, since, until],
    );
    return new Set(open);
  }

  private async stale(projectId: string, limit: number): Promise<string[]> {
    const rows = (await this.db.query(
      `SELECT s.receipt_id FROM ingress.stale_receipt s JOIN ingress.endpoint e ON e.app_id = s.app_id
        WHERE e.definition ->> 'project_id' = $1
          AND NOT EXISTS (SELECT FROM journal.entry t WHERE t.receipt_id = s.receipt_id AND t.terminal)
        ORDER BY s.receipt_id LIMIT $2`,
      [projectId, limit],
    )) as { receipt_id: string }[];
    return rows.map(({ receipt_id: id }) => id);
  }
}
