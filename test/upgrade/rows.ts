import pg from 'pg';

/**
 * Every row of a database as text, one per line: the table, and the row as JSON written by Postgres, since JavaScript
 * would lose the last digits of large numbers. `day` and `sequence` are lines of their own.
 */
export async function readRows(url: string): Promise<string> {
  return as(url, async (db) => {
    const lines: string[] = [];
    const days = await names(
      db,
      String.raw`SELECT inhparent::regclass::text || ' ' || substring(inhrelid::regclass::text FROM '\d{8}$') AS name
        FROM pg_inherits WHERE inhrelid::regclass::text ~ '_\d{8}$' ORDER BY 1`,
    );
    lines.push(...days.map((day) => `day ${day}`));
    const sequences = await names(
      db,
      `SELECT schemaname || '.' || sequencename || ' ' || last_value AS name FROM pg_sequences
        WHERE last_value IS NOT NULL AND sequencename NOT LIKE 'migration%' ORDER BY 1`,
    );
    lines.push(...sequences.map((sequence) => `sequence ${sequence}`));
    for (const table of await tables(db)) {
      const rows = await names(db, `SELECT to_jsonb(t)::text AS name FROM ${table} t ORDER BY 1`);
      lines.push(...rows.map((row) => `${table} ${row}`));
    }
    return `${lines.join('\n')}\n`;
  });
}

/** Replaces all rows by these, unchanged: no trigger runs. */
export async function writeRows(url: string, text: string): Promise<void> {
  await as(url, async (db) => {
    await db.query("SET session_replication_role = 'replica'");
    await db.query(`TRUNCATE ${(await tables(db)).join(', ')}`);
    for (const line of text.split('\n').filter(Boolean)) {
      const [what = '', rest = ''] = halves(line);
      const [name = '', value = ''] = halves(rest);
      if (what === 'day') await db.query(`SELECT ${name}_make_day($1)`, [value]);
      else if (what === 'sequence') await db.query('SELECT setval($1::regclass, $2)', [name, value]);
      else await insert(db, what, rest);
    }
  });
}

async function insert(db: pg.Client, table: string, row: string): Promise<void> {
  const columns = await names(
    db,
    `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS name FROM pg_attribute
      WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  );
  await db.query(
    `INSERT INTO ${table} (${columns[0]}) OVERRIDING SYSTEM VALUE
     SELECT ${columns[0]} FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`,
    [row],
  );
}

/** The tables that rows are written to. The list of migrations that ran is not among them. */
const tables = (db: pg.Client): Promise<string[]> =>
  names(
    db,
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migration'
        AND nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );

const halves = (line: string): string[] => {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
};

async function names(db: pg.Client, sql: string): Promise<string[]> {
  return (await db.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}

async function as<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
