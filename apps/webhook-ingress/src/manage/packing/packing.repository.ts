import { asynchronousCommit, type Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { packedRequest, type RequestColumns } from '../../path/receipts/receipt.repository.js';

/** The row of `ingress.sweep` that says up to when receipts are packed. */
const packedMark = 3;
/** A longer body is compressed by Postgres, outside of its row, when it is stored. */
const longestBody = 65_536;
/** Without receipts the mark moves once a minute: an installation without messages writes little. */
const idleSeconds = 60;
/** What saves less stays as it is: to rewrite a row costs more than that. */
const worthwhile = 0.9;

interface Unpacked extends RequestColumns {
  id: string;
  received_at: Date;
}

interface Packed {
  id: string;
  at: Date;
  body: Buffer;
}

/** Packs receipts in the order in which they arrived, each once. */
@Injectable()
export class PackingRepository {
  constructor(private readonly db: DataSource) {}

  /** @returns how many receipts it passed; 0 while another replica packs */
  async packOlder(ageMs: number, limit: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      const from = await this.takeMark(tx);
      if (from === null) return 0;
      const rows = (await tx.query(
        `SELECT id, received_at, url, headers, body FROM ingress.receipt
          WHERE received_at > $1 AND received_at <= now() - make_interval(secs => $2) AND packed_bytes IS NULL
            AND octet_length(body) BETWEEN 1 AND ${longestBody} AND position(E'\n' IN url) = 0
          ORDER BY received_at LIMIT $3`,
        [from, ageMs / 1_000, limit],
      )) as Unpacked[];
      const isLast = rows.length < limit;
      // Of the last millisecond, others may lie beyond the limit: the next batch begins with it.
      const whole = isLast ? rows : rows.filter((row) => row.received_at < rows.at(-1)!.received_at);
      const passed = whole.length > 0 ? whole : rows;
      await store(tx, await packed(passed));
      const restSeconds = rows.length > 0 ? 0 : idleSeconds;
      await this.moveMark(tx, isLast ? null : passed.at(-1)!.received_at, ageMs / 1_000, restSeconds);
      return rows.length;
    });
  }

  /**
   * @param to null: all that is old enough was passed, so that what is left there is not looked at again
   * @param restSeconds the mark stays where it is nearer than that
   */
  private async moveMark(tx: Queryable, to: Date | null, ageSeconds: number, restSeconds: number): Promise<void> {
    await tx.query(
      `UPDATE ingress.sweep SET swept_to = coalesce($1, now() - make_interval(secs => $2))
         FROM (SELECT ${asynchronousCommit}) s
        WHERE id = ${packedMark} AND swept_to < coalesce($1, now() - make_interval(secs => $3))`,
      [to, ageSeconds, ageSeconds + restSeconds],
    );
  }

  /** @returns null while another replica has it */
  private async takeMark(tx: Queryable): Promise<Date | null> {
    await tx.query(`INSERT INTO ingress.sweep VALUES (${packedMark}, now()) ON CONFLICT DO NOTHING`);
    const [mark] = (await tx.query(
      `SELECT swept_to FROM ingress.sweep WHERE id = ${packedMark} FOR UPDATE SKIP LOCKED`,
    )) as { swept_to: Date }[];
    return mark?.swept_to ?? null;
  }
}

/** Those that become smaller. */
async function packed(rows: Unpacked[]): Promise<Packed[]> {
  const all = await Promise.all(
    rows.map(async (row) => ({ id: row.id, at: row.received_at, body: await packedRequest(row), row })),
  );
  return all.filter(
    ({ body, row }) => body.length < worthwhile * (row.url.length + row.headers.length + row.body.length),
  );
}

/** An erasure that came in between stays: Postgres looks at the row again once it has it. */
async function store(tx: Queryable, rows: Packed[]): Promise<void> {
  if (rows.length === 0) return;
  const times = rows.map(({ at }) => at);
  await tx.query(
    `UPDATE ingress.receipt r SET url = '', headers = '', body = p.body, packed_bytes = octet_length(r.body)
       FROM unnest($1::text[], $2::timestamptz[], $3::bytea[]) AS p(id, at, body)
      WHERE r.id = p.id AND r.received_at = p.at AND r.received_at BETWEEN $4 AND $5 AND r.packed_bytes IS NULL
        AND r.reason IS DISTINCT FROM 'erased'`,
    [rows.map(({ id }) => id), times, rows.map(({ body }) => body), times[0], times.at(-1)],
  );
}
