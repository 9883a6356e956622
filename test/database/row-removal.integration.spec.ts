import { Database, dataSourceOptions, type Transaction } from '#libs/database';
import { findHold } from '#libs/journal';
import { type MovedRows, type MovedTable, ProjectRows } from '#libs/project-rows';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import pg from 'pg';
import { MadeRows } from './made-rows.js';
import { movedLists } from './moved-lists.js';

const home = { organizationId: 'org_home', projectId: 'prj_back' };
const batch = 2;
const many = 7;

/** In SQL, what is different in the row `g` of many. */
const grown: Record<string, string> = {
  'ingress.receipt': `'id', 'evt_' || g`,
  'router.message': `'id', 'msg_' || g`,
  // Nothing but its receipt says where one of the first is. The others have their receipt nowhere.
  'journal.entry': `'receipt_id', CASE WHEN g < 5 THEN 'evt_' ELSE 'run_' END || g, 'terminal', g = 5,
    'stage', CASE WHEN g > 5 THEN 'received' ELSE 'turn' END, 'outcome', 'handed_on'`,
  'journal.dead_letter': `'id', 'dl_' || g, 'receipt_id', 'evt_' || g`,
  'journal.batch_item': `'subject_id', 'evt_' || g`,
};

describe('the removal of the rows of a project that has left', () => {
  let lists: MovedRows[];
  let tables: MovedTable[];
  let database: TestDatabase;
  let pool: pg.Pool;
  let db: Database;
  let rows: ProjectRows;

  beforeAll(async () => {
    lists = await movedLists();
    tables = lists.flatMap(({ moved }) => moved);
    database = await testDatabase();
    const schema = { name: 'public', entities: [], migrations: [] };
    const options = dataSourceOptions(schema, { url: database.url, poolSize: 4, applicationName: 'test' });
    db = await new Database(options).initialize();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    rows = new ProjectRows(db, lists, batch);
  });
  afterAll(async () => {
    await db?.destroy();
    await pool?.end();
    await database?.drop();
  });

  beforeEach(async () => {
    await new MadeRows(pool, home.organizationId, home.projectId).make(tables);
    for (const [name, different] of Object.entries(grown)) {
      await pool.query(
        `INSERT INTO ${name} SELECT (jsonb_populate_record(one, jsonb_build_object(${different}))).*
           FROM (SELECT t AS one FROM ${name} t LIMIT 1) AS made, generate_series(1, ${many}) AS g ON CONFLICT DO NOTHING`,
      );
    }
    await pool.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by, ended_at)
       VALUES ($1, $2, 'left', 'x', 'test', now())
       ON CONFLICT (project_id) DO UPDATE SET state = 'left', ended_at = now(), held_at = clock_timestamp()`,
      [home.projectId, home.organizationId],
    );
  });

  const left = async (): Promise<string[]> =>
    (await rows.counts(home))
      .filter(({ table, rows: count }) => count > 0 && !table.endsWith('audit'))
      .map(({ table }) => table);

  /** Its first transaction has done its work, and is committed once it is let go. */
  function slow(): { rows: ProjectRows; isAtWork: () => boolean; letGo: () => void } {
    const gate = Promise.withResolvers<void>();
    let isAtWork = false;
    const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
      db.transaction(async (tx) => {
        const done = await work(tx);
        isAtWork = true;
        await gate.promise;
        return done;
      });
    const slowDb = Object.assign(Object.create(db) as Database, { transaction });
    return { rows: new ProjectRows(slowDb, lists, batch), isAtWork: () => isAtWork, letGo: () => gate.resolve() };
  }

  const change = (set: string) =>
    pool.query(`UPDATE journal.project_hold SET ${set} WHERE project_id = $1`, [home.projectId]);

  it('ends with nothing left in any table, of the journal too, in as many batches as it takes', async () => {
    expect((await left()).length).toBeGreaterThan(50);
    expect(await rows.remove(home, 60_000)).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('is not done for the second of two at once, which waits for nothing, but for the one that does it', async () => {
    const first = slow();
    const removed = first.rows.remove(home, 60_000);
    await until('it has deleted some', async () => first.isAtWork());
    expect(await rows.remove(home, 60_000)).toBe(false);
    first.letGo();
    expect(await removed).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('of two that go on at the same time says that it is done only when nothing is left', async () => {
    const other = new ProjectRows(db, lists, batch);
    const goOn = async (each: ProjectRows): Promise<string[]> => {
      while (!(await each.remove(home, 60_000)));
      return left();
    };
    expect(await Promise.all([goOn(rows), goOn(other)])).toEqual([[], []]);
  });

  it('is not done while a page is being stored', async () => {
    const { next: _next, ...page } = await rows.page(home, 'engine.agent', null);
    const storing = slow();
    const stored = storing.rows.store(home, 'engine.agent', page);
    await until('it is stored', async () => storing.isAtWork());
    expect(await rows.remove(home, 60_000)).toBe(false);
    storing.letGo();
    await stored;
    expect(await rows.remove(home, 60_000)).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('has a page wait that came before, which is refused if its move is aborted by then, or has begun anew', async () => {
    const { next: _next, ...page } = await rows.page(home, 'engine.agent', null);
    const removing = slow();
    const removed = removing.rows.remove(home, 60_000);
    await until('it has deleted some', async () => removing.isAtWork());
    await change(`state = 'arriving', ended_at = NULL, held_at = clock_timestamp()`);
    const { held_since: since = '' } = (await findHold(db, home.projectId)) ?? {};
    const stored = rows.store(home, 'engine.agent', page, since).catch((error: unknown) => error);
    await until('it waits', async () => {
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
      return (await pool.query(waits)).rowCount === 1;
    });
    await change('ended_at = now()');
    removing.letGo();
    expect(await stored).toMatchObject({ status: 409, code: 'not_held' });
    await removed;
    await change('ended_at = NULL, held_at = clock_timestamp()');
    await expect(rows.store(home, 'engine.agent', page, since)).rejects.toMatchObject({ code: 'not_held' });
    const { held_since: anew } = (await findHold(db, home.projectId)) ?? {};
    await rows.store(home, 'engine.agent', page, anew);
  });

  it('asks only for entries that an index finds', async () => {
    const plans: string[] = [];
    const client = await pool.connect();
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    try {
      await client.query(
        `LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
         SET auto_explain.log_level = notice; SET enable_seqscan = off`,
      );
      await client.query('SELECT journal.forget_left($1, $2, 5)', [home.projectId, home.organizationId]);
      await client.query(`SELECT journal.forget_left_receipts($1, $2, ARRAY['evt_1'])`, [
        home.projectId,
        home.organizationId,
      ]);
    } finally {
      client.release(true);
    }
    const entries = plans.filter((plan) => plan.includes('journal.entry'));
    expect(entries.length).toBeGreaterThan(0);
    for (const plan of entries) expect(plan).not.toContain('Seq Scan on entry');
  });
});
