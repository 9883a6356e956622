import { testDatabase, type TestDatabase, testPool } from '#libs/testing';
import type { Pool } from 'pg';
import { doublingPauseSql, type DueRows, takeDueSql } from './take-due.js';

const rows: DueRows = {
  table: 'visit',
  key: 'id',
  dueAt: 'due_at',
  also: 'tries = tries + 1',
  pause: doublingPauseSql('tries', 60),
  where: `kind = 'kept'`,
};

describe('rows that are due', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await testDatabase();
    pool = testPool(database.url);
    await pool.query(
      `CREATE TABLE visit (id text PRIMARY KEY, due_at timestamptz, kind text DEFAULT 'kept', tries integer DEFAULT 0)`,
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => pool.query('TRUNCATE visit'));

  const add = (id: string, dueIn: string, kind = 'kept', tries = 0) =>
    pool.query(`INSERT INTO visit VALUES ($1, now() + $2::interval, $3, $4)`, [id, dueIn, kind, tries]);
  const take = async (limit: number): Promise<string[]> =>
    (await pool.query<{ id: string }>(`${takeDueSql(rows, '$1')} RETURNING id`, [limit])).rows.map(({ id }) => id);

  it('are taken once each, those that waited longest first, and neither others nor early ones', async () => {
    await add('newer', '-1 s');
    await add('older', '-2 s');
    await add('early', '1 hour');
    await add('other', '-3 s', 'gone');
    expect(await take(1)).toEqual(['older']);
    const [first, second] = await Promise.all([take(5), take(5)]);
    expect([...first, ...second]).toEqual(['newer']);
  });

  it.each([
    [0, 5],
    [1, 10],
    [3, 40],
    [4, 60],
    [100_000, 60],
  ])('are due again after a pause that doubles up to its limit: after %i tries %i s', async (tries, seconds) => {
    await add('one', '-1 s', 'kept', tries);
    await take(1);
    const { rows: found } = await pool.query(
      'SELECT tries, round(extract(epoch FROM due_at - now()))::integer AS pause FROM visit',
    );
    expect(found).toEqual([{ tries: tries + 1, pause: seconds }]);
  });
});
