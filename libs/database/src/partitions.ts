/** Runs a statement and returns its rows; what a `DataSource` and a `QueryRunner` have in common. */
export interface Queryable {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

const dayMs = 86_400_000;

/**
 * Creates the daily partitions of a table for today and the following days, through its functions
 * (`partitionFunctions`). A default partition takes all other rows, so a missed run never refuses a row. A day whose
 * rows went there keeps them there.
 * @param table schema-qualified, from code, never from input
 */
export async function ensureDailyPartitions(
  db: Queryable,
  table: string,
  daysAhead = 3,
  now = Date.now(),
): Promise<void> {
  for (let ahead = 0; ahead <= daysAhead; ahead += 1) {
    try {
      await db.query(`SELECT ${table}_make_day($1)`, [dayOf(now + ahead * dayMs)]);
    } catch (error) {
      if (!is(error, endured)) throw error;
    }
  }
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/**
 * The beginning of the oldest day whose partition is kept. Rows that timelines are read from are kept as long, so that
 * no event loses its end before it goes.
 */
export const oldestKeptDay = (keepDays: number, now = Date.now()): Date =>
  new Date(dayOf(now - (keepDays + 1) * dayMs));

/**
 * check_violation: the default partition holds rows of the day, and the following days still need theirs.
 * duplicate_table and unique_violation: another replica created it at the same moment, which IF NOT EXISTS does not
 * notice. lock_not_available: a backup is reading, and the next run comes before the day does.
 */
const inUse = '55P03';
const endured = ['23514', '42P07', '23505', inUse];

function is(error: unknown, codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Rows deleted from the default partition in one statement. */
const deletedAtOnce = 5_000;

/**
 * Drops the daily partitions whose day ended more than `keepDays` ago: retention at the cost of a DROP, where DELETE
 * would write every row once more. The few rows of those days in the default partition are deleted.
 * @param table schema-qualified, from code, never from input
 * @returns the names of the dropped partitions
 */
export async function dropOldPartitions(
  db: Queryable,
  table: string,
  keepDays: number,
  now = Date.now(),
): Promise<string[]> {
  const rows = (await db.query(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass',
    [table],
  )) as { name: string }[];
  const oldestDay = dayOf(oldestKeptDay(keepDays, now).getTime());
  const dropped: string[] = [];
  for (const { name } of rows) {
    const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
    const of = `${year}-${month}-${day}`;
    if (!year || of >= oldestDay) continue;
    // One process at a time: a second one that meets a running drop fails in Postgres ("could not find tuple for
    // parent").
    try {
      await db.query(
        `WITH alone AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtext($2))) SELECT ${table}_drop_day($1) FROM alone`,
        [of, `drop-days-${table}`],
      );
      dropped.push(name);
    } catch (error) {
      // Somebody is reading it, for example a backup: the next run drops it.
      if (!is(error, [inUse])) throw error;
    }
  }
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce;) {
    const [gone] = (await db.query(`SELECT ${table}_forget_default($1, $2) AS deleted`, [
      `${oldestDay}T00:00:00Z`,
      deletedAtOnce,
    ])) as { deleted: number }[];
    deleted = gone?.deleted ?? 0;
  }
  return dropped;
}
