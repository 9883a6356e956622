/** Runs a statement; what a `DataSource`, a `QueryRunner` and a `pg.Pool` have in common. */
export interface Queryable {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

const dayMs = 86_400_000;

/**
 * Makes the daily partitions of a table for today and the days after. A default partition takes what falls outside, so
 * a missed run of this never refuses a row.
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
    await db.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
    );
  }
}
