import { firstId, type ProjectScope } from '#libs/contracts';
import { Journal, noEntrySql } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeliveryKey } from '../../path/receipts/receipt.repository.js';

/** Of the answer to "how many wait". */
const mostCounted = 10_000;

const unended = `r.project_id = $1 AND r.organization_id = $2 AND r.reason IS DISTINCT FROM 'verification'
  AND r.reason IS DISTINCT FROM 'erased'
  AND ${noEntrySql(`e.receipt_id = r.id AND e.terminal`)}`;

/** Receipts behind the mark of the sweep that have not ended: it has kept them, or they were stored late. */
const behind = (columns: string, limit: string): string => `
  SELECT ${columns} FROM ingress.stale_receipt s
    JOIN ingress.endpoint p ON p.app_id = s.app_id AND p.definition ->> 'project_id' = $1
    JOIN ingress.receipt r ON r.id = s.receipt_id AND r.received_at = s.received_at
   WHERE ${unended} ORDER BY s.receipt_id LIMIT ${limit}`;

/** Those that the sweep has not come to, by both indexes: $3 is its mark, and $4 the first id after it. */
const ahead = (columns: string, limit: string): string => `
  SELECT ${columns} FROM ingress.receipt r
   WHERE r.received_at > $3 AND r.id >= $4 AND ${unended} ORDER BY r.id LIMIT ${limit}`;

/** Of the body as it travels: that of a packed one is longer than its row. */
const bytes = `CASE WHEN r.body = '' THEN 0 ELSE coalesce(r.packed_bytes, octet_length(r.body)) END AS bytes`;

export interface WaitingReceipts {
  /** At most 10,000. */
  waiting: number;
  oldest_at: string | null;
  /** When the last webhook came here, whatever became of it. */
  last_received_at: string | null;
}

interface Unended {
  id: string;
  bytes: number;
}

/** What receipts are found by. The times are those in the ids. */
interface Named {
  ids: string[];
  times: Date[];
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
    const scope = [projectId, organizationId];
    // The mark first: what it passes meanwhile is found behind it or ahead of where it was.
    const mark = await this.mark();
    const [kept, later] = (await Promise.all([
      this.db.query(behind(`r.id, ${bytes}`, '$3'), [...scope, limit]),
      this.db.query(ahead(`r.id, ${bytes}`, '$5'), [...scope, ...mark, limit]),
    ])) as [Unended[], Unended[]];
    const both = new Map([...kept, ...later].map((row) => [row.id, row]));
    const rows = [...both.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    let sum = 0;
    const within = rows.filter((row, at) => (sum += row.bytes) <= maxBytes || at === 0);
    return within.map(({ id }) => id);
  }

  async waiting({ projectId, organizationId }: ProjectScope): Promise<WaitingReceipts> {
    const scope = [projectId, organizationId];
    const mark = await this.mark();
    const columns = 'r.id, r.received_at';
    const [[counted], [last]] = await Promise.all([
      this.db.query(
        `SELECT count(*)::integer AS waiting, min(received_at) AS oldest_at FROM (
           (${behind(columns, `${mostCounted}`)}) UNION (${ahead(columns, `${mostCounted}`)})
           ORDER BY id LIMIT ${mostCounted}) AS unended`,
        [...scope, ...mark],
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

  /** Which of these ids another project has here. */
  async ofOthers({ projectId, organizationId }: ProjectScope, { ids, times }: Named): Promise<string[]> {
    const rows = (await this.db.query(
      `SELECT id FROM ingress.receipt
        WHERE id = ANY($1) AND received_at = ANY($2) AND received_at BETWEEN $3 AND $4
          AND (project_id, organization_id) <> ($5, $6)`,
      [ids, times, ...spanOf(times), projectId, organizationId],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  }

  /**
   * Takes custody of receipts that were handed on: of those that were copied before, too.
   * @returns ids of those of the project that have not ended
   */
  async keep({ projectId, organizationId }: ProjectScope, { ids, times }: Named): Promise<Set<string>> {
    const ended = await this.journal.endedAmong(ids);
    const rows = (await this.db.query(
      `WITH own AS (
         SELECT id, app_id, received_at FROM ingress.receipt
          WHERE id = ANY($1) AND received_at = ANY($2) AND received_at BETWEEN $3 AND $4
            AND project_id = $5 AND organization_id = $6),
       kept AS (
         INSERT INTO ingress.stale_receipt (receipt_id, app_id, received_at, next_at)
         SELECT id, app_id, received_at, now() + interval '10 seconds' FROM own ON CONFLICT DO NOTHING)
       SELECT id FROM own`,
      [ids.filter((id) => !ended.has(id)), times, ...spanOf(times), projectId, organizationId],
    )) as { id: string }[];
    return new Set(rows.map(({ id }) => id));
  }

  /** Up to when the sweep has looked, and the first id after that. */
  private async mark(): Promise<[Date, string]> {
    const [sweep] = (await this.db.query('SELECT swept_to FROM ingress.sweep WHERE id = 1')) as { swept_to: Date }[];
    const at = sweep?.swept_to ?? new Date(0);
    return [at, firstId('evt', at)];
  }
}

function spanOf(times: Date[]): [Date, Date] {
  const ms = times.map((time) => time.getTime());
  return [new Date(Math.min(...ms)), new Date(Math.max(...ms))];
}
