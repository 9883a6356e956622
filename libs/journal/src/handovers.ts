import { type Database, type Liveness, type Queryable, storableJson, SweepMark } from '#libs/database';
import { everyEntry } from './entries-in-rows.js';
import { doublingPauseSql, type DueRows, takeDueSql } from '#libs/work';

/** Something handed to the next service, which has it once the journal has an entry for it at that service's stage. */
export interface HandedOver {
  /** Its name in the journal: a turn, a delivery. */
  subject_id: string;
  /** The row of this service that it belongs to. */
  owner_id: string;
  receipt_id: string;
}

/** A handover that was not taken, with what its owner stored for it. */
export type StaleHandover<P> = HandedOver & { payload: P | null };

interface HandoverSource {
  /** The schema with the tables `handover_mark` and `stale_handover`. */
  schema: string;
  /** The application name of the service's connections: their transactions in flight may still commit older rows. */
  applicationName: string;
  stage: 'turn' | 'delivery';
  /** The table of the owners, which have a project: of one that has left or is arriving nothing is handed over. */
  owners: string;
  /** How long, in ms, the next service may take to write its entry. */
  leaseMs: number;
  /**
   * Selects `at`, as text, and a `HandedOver` of each handover with `at > $1 AND at <= $2`, oldest first, `$3` of them.
   */
  sql: string;
}

/**
 * Finds what the next service has not taken, without a job or an update per row. A mark moves over the rows. What the
 * journal does not know when the mark passes is a stale handover. It is handed over again, less and less often, until
 * the journal knows it.
 */
export class Handovers<P = never> {
  private readonly mark = new SweepMark<string>();

  constructor(
    private readonly db: Pick<Database, 'query' | 'transaction'>,
    private readonly liveness: Pick<Liveness, 'sinceLossMs'>,
    private readonly source: HandoverSource,
  ) {}

  /**
   * Moves the mark up to what was handed over a lease ago, or before something was lost.
   * @param behindMs how long the next service takes to get to it
   * @returns how many it read: when that is `limit` there may be more, even if it passed fewer
   */
  async find(limit: number, behindMs: number): Promise<number> {
    const { schema, applicationName, sql, leaseMs } = this.source;
    const ageMs = Math.min(leaseMs, this.liveness.sinceLossMs) + behindMs;
    const moved = await this.db.transaction(async (tx) => {
      const [mark] = (await tx.query(
        `SELECT swept_to::text FROM ${schema}.handover_mark WHERE id = 1 FOR UPDATE SKIP LOCKED`,
      )) as { swept_to: string }[];
      if (!mark) return null;
      const stored = mark.swept_to;
      // Read before the rows, so that what commits in between is seen.
      const [until] = (await tx.query(
        `SELECT least(now() - make_interval(secs => $2), min(xact_start) - interval '1 millisecond')::text AS at
           FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND state <> 'idle'
            AND pid <> pg_backend_pid()`,
        [applicationName, ageMs / 1_000],
      )) as { at: string }[];
      const from = this.mark.from(stored);
      const rows = (await tx.query(sql, [from, until?.at, limit])) as (HandedOver & { at: string })[];
      const last = rows.at(-1);
      if (!last) {
        const overdue = this.mark.overdue(stored);
        if (overdue === null) return null;
        await this.store(tx, overdue);
        return { stored, at: overdue, passed: 0, written: true, read: 0 };
      }
      // Handovers of the same time as the last one may lie beyond the limit: leave them all to the next batch.
      const complete = rows.length < limit ? rows : rows.filter(({ at }) => at !== last.at);
      const passed = complete.length > 0 ? complete : rows;
      const unknown = await this.unknown(tx, passed);
      await this.insert(tx, unknown, 0);
      const at = passed.at(-1)?.at ?? last.at;
      const written = unknown.length > 0 || rows.length >= limit || this.mark.isDue(stored, passed.length);
      if (written) await this.store(tx, at);
      return { stored, at, passed: passed.length, written, read: rows.length };
    });
    if (!moved) return 0;
    this.mark.passed(moved.stored, moved.at, moved.passed, moved.written);
    return moved.read;
  }

  private async store(tx: Queryable, at: string): Promise<void> {
    await tx.query(`UPDATE ${this.source.schema}.handover_mark SET swept_to = $1 WHERE id = 1`, [at]);
  }

  /**
   * Stale handovers to hand over again now. Each is due again after a wait that doubles up to a minute.
   * @param behindMs takes only what has been due for this long: what was handed over since still waits in the queue
   */
  async due(limit: number, behindMs: number): Promise<StaleHandover<P>[]> {
    const { schema, owners } = this.source;
    const stale: DueRows = {
      table: `${schema}.stale_handover`,
      key: 'subject_id',
      dueAt: 'next_at',
      also: 'attempts = attempts + 1',
      pause: doublingPauseSql('attempts', 60),
      by: 'now() - make_interval(secs => $2)',
      where: `NOT EXISTS (SELECT FROM ${owners} o WHERE o.id = stale_handover.owner_id AND o.project_id = ANY (ARRAY(
                SELECT h.project_id FROM journal.project_hold h WHERE h.state <> 'leaving')))`,
    };
    const taken: unknown = await this.db.query(
      `${takeDueSql(stale, '$1')} RETURNING subject_id, owner_id, receipt_id, payload`,
      [limit, behindMs / 1_000],
    );
    const rows = (taken as [StaleHandover<P>[], number])[0];
    if (rows.length === 0) return [];
    const unknown = await this.unknown(this.db, rows);
    const known = rows.filter((row) => !unknown.includes(row)).map(({ subject_id }) => subject_id);
    await this.forget(known);
    return unknown;
  }

  /** Makes all stale handovers due now: their jobs may be lost. */
  async expedite(): Promise<void> {
    await this.db.query(`UPDATE ${this.source.schema}.stale_handover SET next_at = now() WHERE next_at > now()`);
  }

  /** Has these handed over again once their lease is over. */
  keep(tx: Queryable, rows: (HandedOver & { payload?: P })[]): Promise<void> {
    return this.insert(tx, rows, this.source.leaseMs);
  }

  private async insert(tx: Queryable, rows: (HandedOver & { payload?: P })[], afterMs: number): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(
      `INSERT INTO ${this.source.schema}.stale_handover (subject_id, owner_id, receipt_id, payload, next_at)
       SELECT *, now() + make_interval(secs => $5) FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[])
       ON CONFLICT DO NOTHING`,
      [
        rows.map(({ subject_id }) => subject_id),
        rows.map(({ owner_id }) => owner_id),
        rows.map(({ receipt_id }) => receipt_id),
        rows.map(({ payload }) => (payload === undefined ? null : storableJson(payload))),
        afterMs / 1_000,
      ],
    );
  }

  /** What was stored with a stale handover, or null. */
  async payloadOf(subjectId: string): Promise<P | null> {
    const sql = `SELECT payload FROM ${this.source.schema}.stale_handover WHERE subject_id = $1`;
    return ((await this.db.query(sql, [subjectId])) as { payload: P | null }[])[0]?.payload ?? null;
  }

  async forget(subjectIds: string[]): Promise<void> {
    if (subjectIds.length === 0) return;
    await this.db.query(`DELETE FROM ${this.source.schema}.stale_handover WHERE subject_id = ANY($1)`, [subjectIds]);
  }

  private async unknown<T extends HandedOver>(db: Queryable, rows: T[]): Promise<T[]> {
    const known = (await db.query(
      `SELECT DISTINCT subject_id FROM ${everyEntry} e WHERE receipt_id = ANY($1) AND stage = $2 AND subject_id = ANY($3)`,
      [rows.map(({ receipt_id }) => receipt_id), this.source.stage, rows.map(({ subject_id }) => subject_id)],
    )) as { subject_id: string }[];
    const entered = new Set(known.map(({ subject_id }) => subject_id));
    return rows.filter(({ subject_id }) => !entered.has(subject_id));
  }
}

/** The tables of `Handovers` in a service's schema. */
export const handoverTables = (schema: string): string[] => [
  `CREATE TABLE ${schema}.handover_mark (id integer PRIMARY KEY CHECK (id = 1), swept_to timestamptz NOT NULL)`,
  `INSERT INTO ${schema}.handover_mark VALUES (1, now())`,
  `CREATE TABLE ${schema}.stale_handover (
     subject_id text PRIMARY KEY,
     owner_id text NOT NULL,
     receipt_id text NOT NULL,
     payload jsonb,
     attempts integer NOT NULL DEFAULT 0,
     next_at timestamptz NOT NULL
   )`,
  `CREATE INDEX ON ${schema}.stale_handover (next_at)`,
];
