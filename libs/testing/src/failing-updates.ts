import type pg from 'pg';

export interface FailingUpdates {
  /** The next updates, by number, end as with Postgres itself. */
  times(count: number): Promise<void>;
  /** How many of them are still to come. */
  left(): Promise<number>;
}

/** Lets updates of a table fail as when Postgres goes away. @param when a condition on OLD and NEW, from code */
export async function failingUpdates(pool: pg.Pool, table: string, when: string): Promise<FailingUpdates> {
  const name = `${table}_failing`;
  // A sequence: what a statement that failed has counted stays counted.
  await pool.query(`
    CREATE SEQUENCE IF NOT EXISTS ${name} MINVALUE -1000000 START 0;
    GRANT USAGE, SELECT ON ${name} TO public;
    CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('${name}') <= 0 THEN RAISE EXCEPTION 'away' USING ERRCODE = '57P01'; END IF;
        RETURN NEW;
      END $$;
    CREATE OR REPLACE TRIGGER failing BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}();
    SELECT setval('${name}', 0);`);
  return {
    times: async (count) => void (await pool.query(`SELECT setval('${name}', $1)`, [-count])),
    left: async () => {
      const { rows } = await pool.query<{ last: string }>(`SELECT last_value AS last FROM ${name}`);
      return Math.max(0, -Number(rows[0]?.last));
    },
  };
}
