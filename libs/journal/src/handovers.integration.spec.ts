import type { Database } from '#libs/database';
import { testDatabase, type TestDatabase, testPool } from '#libs/testing';
import type pg from 'pg';
import { Handovers } from './handovers.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = testPool(database.url, { max: 1 });
  await pool.query('CREATE TABLE handed_on (at timestamptz NOT NULL, id text NOT NULL)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** One connection takes the place of the service's transactions. */
const db = {
  query: async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows,
  transaction: async (run: (tx: unknown) => Promise<unknown>) => {
    await pool.query('BEGIN');
    const made = await run(db);
    await pool.query('COMMIT');
    return made;
  },
} as unknown as Database;

describe('what was handed over', () => {
  it('is swept to its end, also where a batch ends between rows of the same time', async () => {
    await pool.query('UPDATE engine.handover_mark SET swept_to = $1', ['2026-01-01T00:00:00Z']);
    // Pairs with the same time: every batch of three ends between two of them.
    await pool.query(
      `INSERT INTO handed_on SELECT timestamptz '2026-01-02' + make_interval(secs => n / 2), 'turn_' || n FROM generate_series(0, 9) n`,
    );
    const handovers = new Handovers(
      db,
      { sinceLossMs: 0 },
      {
        schema: 'engine',
        applicationName: 'nobody',
        stage: 'delivery',
        owners: 'engine.turn',
        leaseMs: 1_000,
        sql: `SELECT at::text AS at, id AS subject_id, id AS owner_id, id AS receipt_id FROM handed_on
             WHERE at > $1 AND at <= $2 ORDER BY at LIMIT $3`,
      },
    );
    const found: number[] = [];
    // As a sweep does: continues at once after a full batch.
    for (let read = 3; read >= 3;) found.push((read = await handovers.find(3, 0)));
    expect(found.slice(0, -1)).toEqual([3, 3, 3, 3]);
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM engine.stale_handover');
    expect(rows).toEqual([{ n: 10 }]);
  });
});
