import { testDatabase, type TestDatabase } from '#libs/testing';
import { DataSource } from 'typeorm';
import { partitionFunctions, partitionSignatures } from './partition-functions.js';
import { dropOldPartitions, ensureDailyPartitions } from './partitions.js';

const noon = Date.UTC(2021, 11, 30, 12);
let database: TestDatabase;
let db: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url, poolSize: 4 }).initialize();
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(async () => {
  await db.query('DROP TABLE IF EXISTS public.thing');
  await db.query('CREATE TABLE public.thing (at timestamptz NOT NULL) PARTITION BY RANGE (at)');
  await db.query('CREATE TABLE public.thing_default PARTITION OF public.thing DEFAULT');
  for (const signature of partitionSignatures('public.thing')) await db.query(`DROP FUNCTION IF EXISTS ${signature}`);
  for (const statement of partitionFunctions('public.thing', 'at')) await db.query(statement);
});

const partitions = async (): Promise<string[]> =>
  (
    await db.query<{ name: string }[]>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'public.thing'::regclass ORDER BY 1",
    )
  ).map(({ name }) => name);
const partitionOf = async (at: string): Promise<string> =>
  (
    await db.query<{ name: string }[]>(
      'INSERT INTO public.thing VALUES ($1) RETURNING tableoid::regclass::text AS name',
      [at],
    )
  )[0]!.name;

describe('daily partitions', () => {
  it('are created for today and the next days, across the end of a year, as often as requested', async () => {
    await ensureDailyPartitions(db, 'public.thing', 2, noon);
    await ensureDailyPartitions(db, 'public.thing', 2, noon);
    expect(await partitions()).toEqual(['thing_20211230', 'thing_20211231', 'thing_20220101', 'thing_default']);
  });

  it('take the rows of their day in UTC, and the default partition takes the others', async () => {
    await ensureDailyPartitions(db, 'public.thing', 1, noon);
    expect(await partitionOf('2021-12-30T00:00:00Z')).toBe('thing_20211230');
    expect(await partitionOf('2021-12-30T23:59:59.999Z')).toBe('thing_20211230');
    expect(await partitionOf('2021-12-31T00:00:00Z')).toBe('thing_20211231');
    expect(await partitionOf('2022-01-05T00:00:00Z')).toBe('thing_default');
  });

  it('are dropped when their day ended more than the retention ago; the default partition never is', async () => {
    const dayMs = 86_400_000;
    await ensureDailyPartitions(db, 'public.thing', 5, noon - 5 * dayMs);
    expect(await dropOldPartitions(db, 'public.thing', 3, noon)).toEqual(['thing_20211225']);
    expect(await dropOldPartitions(db, 'public.thing', 3, noon)).toEqual([]);
    expect(await partitions()).toEqual([
      'thing_20211226',
      'thing_20211227',
      'thing_20211228',
      'thing_20211229',
      'thing_20211230',
      'thing_default',
    ]);
  });

  it('are created and dropped later while a backup reads, and writes do not queue up behind them', async () => {
    const dayMs = 86_400_000;
    await ensureDailyPartitions(db, 'public.thing', 5, noon - 5 * dayMs);
    const reader = db.createQueryRunner();
    await reader.startTransaction();
    // As pg_dump does, which locks each table until it is finished.
    await reader.query('LOCK TABLE public.thing, public.thing_default, public.thing_20211225 IN ACCESS SHARE MODE');
    const turned = Promise.all([
      dropOldPartitions(db, 'public.thing', 3, noon),
      ensureDailyPartitions(db, 'public.thing', 1, noon),
    ]);
    const [dropped] = await turned;
    expect(dropped).toEqual([]);
    expect(await partitionOf('2021-12-30T12:00:00Z')).toBe('thing_20211230');
    await reader.rollbackTransaction();
    await reader.release();
    expect(await dropOldPartitions(db, 'public.thing', 3, noon)).toEqual(['thing_20211225']);
    await ensureDailyPartitions(db, 'public.thing', 1, noon);
    expect(await partitions()).toContain('thing_20211231');
  });

  it('leave no old rows behind in the default partition, however many, and keep the others', async () => {
    await db.query(
      `INSERT INTO public.thing SELECT '2021-12-25T23:59:59.999Z' FROM generate_series(1, 12000) UNION ALL
       SELECT '2021-12-26T00:00:00Z'::timestamptz UNION ALL SELECT '2022-02-01T00:00:00Z'`,
    );
    await Promise.all([1, 2].map(() => dropOldPartitions(db, 'public.thing', 3, noon)));
    await dropOldPartitions(db, 'public.thing', 3, noon);
    const rows = await db.query<{ at: Date }[]>('SELECT at FROM public.thing ORDER BY at');
    expect(rows.map(({ at }) => at.toISOString().slice(0, 10))).toEqual(['2021-12-26', '2022-02-01']);
  });

  it('are created and dropped by several processes at once', async () => {
    await ensureDailyPartitions(db, 'public.thing', 5, noon - 5 * 86_400_000);
    await Promise.all(Array.from({ length: 4 }, () => ensureDailyPartitions(db, 'public.thing', 6, noon)));
    await Promise.all(Array.from({ length: 4 }, () => dropOldPartitions(db, 'public.thing', 1, noon)));
    expect(await partitions()).not.toContain('thing_20211227');
    expect(await partitions()).toContain('thing_20220105');
  });

  it('are created even if the default partition holds rows of their day', async () => {
    expect(await partitionOf('2021-12-30T10:00:00Z')).toBe('thing_default');
    await ensureDailyPartitions(db, 'public.thing', 1, noon);
    expect(await partitions()).toContain('thing_20211231');
    expect(await partitionOf('2021-12-30T11:00:00Z')).toMatch(/^thing_/);
  });
});
