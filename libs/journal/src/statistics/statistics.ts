import { idDigits, type ProjectScope, type ScopeColumns } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { everyEntry } from '../entries-in-rows.js';
import { latencyBoundsMs } from './latency.js';

/**
 * What is counted. The label of `refused` is the code, of measures ending in `_ms` the class of the duration, of the
 * others the outcome. `ack_ms`: a webhook's answer. `unanswered`: a receipt whose answer is not counted yet; it is
 * never stored. `delivery_ms`: the call that delivered. `reply_ms`: from the receipt of an event until its reply was
 * delivered.
 */
export const measures = [
  'outcome',
  'turn',
  'delivery',
  'refused',
  'ack_ms',
  'unanswered',
  'turn_ms',
  'delivery_ms',
  'reply_ms',
] as const;
export type Measure = (typeof measures)[number];

/** How many of one kind in one minute of one App. */
export interface StatisticCount extends ScopeColumns {
  app_id: string;
  minute: Date;
  measure: Measure;
  label: string;
  count: number;
}

/** Whose counts, over which time. */
export interface StatisticScope extends ProjectScope {
  appId: string | null;
  from: Date;
  /** Exclusive. */
  to: Date;
}

export interface CountAt {
  at: Date;
  measure: Measure;
  label: string;
  count: number;
}

export interface CountOfApp {
  app_id: string;
  measure: Measure;
  label: string;
  count: number;
}

const bounds = `ARRAY[${latencyBoundsMs.join(',')}]::double precision[]`;
/** An event's id begins with the time at which it was received. */
const sinceReceipt = `extract(epoch FROM e.at) * 1000 - ('x' || lpad(substr(e.receipt_id, 5, 12), 16, '0'))::bit(64)::bigint`;

/** What each journal entry adds to the counts. */
const counted = `
  LATERAL (
    SELECT 'outcome' AS measure, e.outcome AS label WHERE e.terminal
    UNION ALL SELECT 'turn', e.outcome WHERE e.stage = 'turn' AND e.outcome IN ('succeeded', 'failed', 'dead')
    UNION ALL SELECT 'delivery', e.outcome WHERE e.stage = 'delivery' AND e.outcome IN ('delivered', 'unknown', 'dead', 'expired')
    UNION ALL SELECT e.stage || '_ms', width_bucket(e.duration_ms, ${bounds})::text
      WHERE e.duration_ms IS NOT NULL AND (e.stage, e.outcome) IN (('turn', 'succeeded'), ('delivery', 'delivered'))
    UNION ALL SELECT 'reply_ms', width_bucket((${sinceReceipt})::double precision, ${bounds})::text
      WHERE e.stage = 'delivery' AND e.outcome = 'delivered' AND e.receipt_id ~ '^evt_${idDigits('evt')}$'
  ) m`;

/** Counts by measure and label: one row per minute and App holds them all, by `measure:label`. */
const packed = `jsonb_object_agg(measure || ':' || label, count)`;
/** @param rows the table or query to read */
const unpacked = (rows: string): string => `
  SELECT s.*, split_part(c.key, ':', 1) AS measure, substr(c.key, position(':' IN c.key) + 1) AS label, c.value::bigint AS count
    FROM ${rows} s CROSS JOIN jsonb_each_text(s.counts) c`;
/** @param counts selects `organization_id, project_id, app_id, minute, measure, label, count`, each kind once */
const add = (counts: string): string => `
  INSERT INTO journal.statistic AS s (organization_id, project_id, app_id, minute, counts)
  SELECT organization_id, project_id, app_id, minute, ${packed} FROM (${counts}) c
   GROUP BY organization_id, project_id, app_id, minute ORDER BY project_id, minute, app_id
  ON CONFLICT (project_id, minute, app_id) DO UPDATE SET counts = (
    SELECT jsonb_object_agg(key, n) FROM (
      SELECT key, sum(value::bigint) AS n
        FROM (SELECT * FROM jsonb_each_text(s.counts) UNION ALL SELECT * FROM jsonb_each_text(excluded.counts)) b
       GROUP BY key) sums)`;
const longestStep = '1 hour';

/**
 * Counts the journal since the last count, one hour at a time.
 * @param lagMs entries are written some milliseconds after their time, so it stays behind by this much
 * @returns whether there is more to count
 */
export async function countJournal(db: Queryable & Transactional, lagMs: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [mark] = (await tx.query(
      `SELECT counted_to, least(now() - make_interval(secs => $1), counted_to + $2::interval) AS upto,
              counted_to + $2::interval < now() - make_interval(secs => $1) AS more
         FROM journal.statistic_mark FOR UPDATE SKIP LOCKED`,
      [lagMs / 1_000, longestStep],
    )) as { counted_to: Date; upto: Date; more: boolean }[];
    if (!mark || mark.upto <= mark.counted_to) return false;
    // The mark itself, not its JavaScript value, which has no microseconds.
    await tx.query(
      add(
        `SELECT e.organization_id, e.project_id, e.app_id, date_trunc('minute', e.at) AS minute, m.measure, m.label,
                count(*) AS count
           FROM ${everyEntry} e CROSS JOIN ${counted}
          WHERE e.at >= (SELECT counted_to FROM journal.statistic_mark) AND e.at < $1
          GROUP BY 1, 2, 3, 4, 5, 6`,
      ),
      [mark.upto],
    );
    await tx.query('UPDATE journal.statistic_mark SET counted_to = $1', [mark.upto]);
    return mark.more;
  });
}

/** Adds what a service has counted itself. */
export async function addCounts(db: Queryable, counts: StatisticCount[]): Promise<void> {
  if (counts.length === 0) return;
  await db.query(
    add(
      `SELECT organization_id, project_id, app_id, minute, measure, label, sum(count) AS count
         FROM jsonb_to_recordset($1::jsonb) AS c(organization_id text, project_id text, app_id text, minute timestamptz,
           measure text, label text, count bigint)
        GROUP BY 1, 2, 3, 4, 5, 6`,
    ),
    [JSON.stringify(counts)],
  );
}

/** Counts by step; those since the last count are read from the journal itself. @param step a Postgres interval */
export async function countsByStep(db: Queryable, scope: StatisticScope, step: string): Promise<CountAt[]> {
  return (await db.query(
    `SELECT date_bin($6::interval, minute, 'epoch'::timestamptz) AS at, measure, label, sum(count)::integer AS count
       FROM (${everything}) c GROUP BY 1, 2, 3 ORDER BY 1`,
    [...parametersOf(scope), step],
  )) as CountAt[];
}

/** Counts by App. */
export async function countsByApp(db: Queryable, scope: StatisticScope): Promise<CountOfApp[]> {
  return (await db.query(
    `SELECT app_id, measure, label, sum(count)::integer AS count FROM (${everything}) c GROUP BY 1, 2, 3 ORDER BY 1`,
    parametersOf(scope),
  )) as CountOfApp[];
}

/** Joins minutes older than `days` into hours. */
export async function joinOldMinutes(db: Queryable, days: number): Promise<void> {
  await db.query(
    `WITH old AS (
       DELETE FROM journal.statistic
        WHERE minute < date_trunc('hour', now() - make_interval(days => $1), 'UTC')
          AND minute > now() - make_interval(days => $1 + 30) AND minute <> date_trunc('hour', minute, 'UTC')
        RETURNING *)
     ${add(
       `SELECT organization_id, project_id, app_id, date_trunc('hour', minute, 'UTC') AS minute, measure, label,
               sum(count) AS count
          FROM (${unpacked('old')}) minutes GROUP BY 1, 2, 3, 4, 5, 6`,
     )}`,
    [days],
  );
}

export async function forgetStatistics(db: Queryable, days: number): Promise<void> {
  await db.query('DELETE FROM journal.statistic WHERE minute < now() - make_interval(days => $1)', [days]);
}

interface Transactional {
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
}

/** Answers are added every 30 s: until then, the receipts of these minutes say how many there are. */
const recent = `greatest($4::timestamptz, date_trunc('minute', now() - interval '1 minute'))`;
const inScope = 'organization_id = $1 AND project_id = $2 AND ($3::text IS NULL OR app_id = $3)';

/** Requests of Verify are receipts whose answers are not counted. */
const unanswered = `
  SELECT app_id, minute, 'unanswered' AS measure, '' AS label, greatest(0, sum(count))::bigint AS count FROM (
    SELECT app_id, date_trunc('minute', at) AS minute, count(*) FROM journal.receipt
     WHERE at >= ${recent} AND at < $5 AND ${inScope} GROUP BY 1, 2
    UNION ALL
    SELECT app_id, date_trunc('minute', at), -count(*) FROM journal.entry
     WHERE stage = 'received' AND outcome = 'verification' AND at >= ${recent} AND at < $5 AND ${inScope} GROUP BY 1, 2
    UNION ALL
    SELECT app_id, minute, -sum(count) FROM (${unpacked('journal.statistic')}) s
     WHERE measure = 'ack_ms' AND minute >= ${recent} AND minute < $5 AND ${inScope} GROUP BY 1, 2
  ) r GROUP BY 1, 2`;

const everything = `
  SELECT app_id, minute, measure, label, count FROM (${unpacked('journal.statistic')}) s
   WHERE ${inScope} AND minute >= $4 AND minute < $5
   UNION ALL
  SELECT e.app_id, date_trunc('minute', e.at), m.measure, m.label, 1
    FROM ${everyEntry} e CROSS JOIN ${counted}
   WHERE e.at >= greatest((SELECT counted_to FROM journal.statistic_mark), $4::timestamptz) AND e.at < $5
     AND e.organization_id = $1 AND e.project_id = $2 AND ($3::text IS NULL OR e.app_id = $3)
   UNION ALL
  ${unanswered}`;

function parametersOf({ organizationId, projectId, appId, from, to }: StatisticScope): unknown[] {
  return [organizationId, projectId, appId, from, to];
}
