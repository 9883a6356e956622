/** Runs a statement and gives its rows; what a `DataSource` and a `QueryRunner` have in common. */
export interface Queryable {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

const dayMs = 86_400_000;

/**
 * Makes the daily partitions of a table for today and the days after. A default partition takes what falls outside, so
 * a missed run of this never refuses a row; a day of which it has taken rows stays there.
 * @param table schema-qualified, from code, never from input
 */
export async function ensureDailyPartitions(
  db: Queryable,
  table: string,
  daysAhead = 3,
  now = Date.now(),
): Promise<void> {
  for (let ahead = 0; ahead <= daysAhead; ahead += 1) {
    const from = new Date(Math.floor(now / dayMs) * dayMs + ahead * dayMs);
    const to = new Date(from.getTime() + dayMs);
    const name = `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
    try {
      await db.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
      );
    } catch (error) {
      if (!isEndured(error)) throw error;
    }
  }
}

/**
 * check_violation: the default partition holds rows of the day, and the days after still need theirs. duplicate_table and
 * unique_violation: another replica made it at the same moment, which IF NOT EXISTS does not notice.
 */
const endured = new Set(['23514', '42P07', '23505']);

function isEndured(error: unknown): boolean {
  return error instanceof Error && 'code' in error && endured.has(String(error.code));
}

/** Of the default partition, in one statement. */
const deletedAtOnce = 5_000;

/**
 * Drops the daily partitions whose day ended more than `keepDays` ago: retention at the cost of a DROP, where DELETE
 * would write every row once more. What the default partition has taken of those days is few, and deleted.
 * @param table schema-qualified, from code, never from input
 * @param timeColumn by which it is partitioned
 * @returns the names of the dropped partitions
 */
export async function dropOldPartitions(
  db: Queryable,
  table: string,
  timeColumn: string,
  keepDays: number,
  now = Date.now(),
): Promise<string[]> {
  const rows = (await db.query(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass',
    [table],
  )) as { name: string }[];
  const oldestDay = new Date(now - (keepDays + 1) * dayMs).toISOString().slice(0, 10);
  const oldest = oldestDay.replaceAll('-', '');
  const old = rows.map(({ name }) => name).filter((name) => (/_(\d{8})$/.exec(name)?.[1] ?? oldest) < oldest);
  for (const name of old) await db.query(`DROP TABLE IF EXISTS ${name}`);
  const [standby] = (await db.query(
    'SELECT partdefid::regclass::text AS name FROM pg_partitioned_table WHERE partrelid = $1::regclass AND partdefid <> 0',
    [table],
  )) as { name: string }[];
  if (standby) await deleteBefore(db, standby.name, timeColumn, `${oldestDay}T00:00:00Z`);
  return old;
}

async function deleteBefore(db: Queryable, table: string, timeColumn: string, time: string): Promise<void> {
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce;) {
    const result: unknown = await db.query(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ${table} WHERE ${timeColumn} < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [time, deletedAtOnce],
    );
    deleted = (result as [unknown[], number])[1];
  }
}
