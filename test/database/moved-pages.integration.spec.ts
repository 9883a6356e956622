import { Database, dataSourceOptions, type Transaction } from '#libs/database';
import { type MovedTable, ProjectRows } from '#libs/project-rows';
import { testDatabase, type TestDatabase } from '#libs/testing';
import pg from 'pg';
import { MadeRows } from './made-rows.js';
import { movedLists } from './moved-lists.js';

const home = { organizationId: 'org_home', projectId: 'prj_moved' };
const many = 6_000;
const pageRows = 1_000;

/** Of the tables in which each message leaves a row: in SQL, what is different in the row `g`. */
const grown: Record<string, string> = {
  'ingress.receipt': `'id', 'evt_' || to_char(g, 'FM00000'), 'received_at', now() - g * interval '1 second'`,
  'ingress.delivery_key': `'key_hash', '\\x' || md5(g::text)`,
  'router.message': `'id', 'msg_' || to_char(g, 'FM00000')`,
  'router.claim': `'key', md5(g::text)::uuid, 'message_id', 'msg_' || to_char(g, 'FM00000')`,
  'journal.entry': `'receipt_id', 'evt_' || to_char(g, 'FM00000'), 'at', now() - g * interval '1 second'`,
};

interface Side {
  database: TestDatabase;
  db: Database;
  rows: ProjectRows;
  /** How many rows each transaction has looked at, the last one last. */
  seen: number[];
}

describe('the pages of a table with many rows', () => {
  let tables: MovedTable[];
  let here: Side;
  let there: Side;

  async function open(): Promise<Side> {
    const database = await testDatabase();
    const schema = { name: 'public', entities: [], migrations: [] };
    const options = dataSourceOptions(schema, { url: database.url, poolSize: 2, applicationName: 'test' });
    const db = await new Database(options).initialize();
    const seen: number[] = [];
    const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
      db.transaction(async (tx) => {
        const before = await rowsSeen(tx);
        const done = await work(tx);
        seen.push((await rowsSeen(tx)) - before);
        return done;
      });
    const query = (sql: string, values?: unknown[]): Promise<unknown> =>
      sql.startsWith('WITH found') ? transaction((tx) => tx.query(sql, values)) : db.query(sql, values);
    const counted = Object.assign(Object.create(db) as Database, { transaction, query });
    return { database, db, rows: new ProjectRows(counted, await movedLists()), seen };
  }

  beforeAll(async () => {
    tables = (await movedLists()).flatMap(({ moved }) => moved);
    here = await open();
    there = await open();
    const pool = new pg.Pool({ connectionString: here.database.url, max: 1 });
    await new MadeRows(pool, home.organizationId, home.projectId).make(tables);
    for (const [name, different] of Object.entries(grown)) {
      await pool.query(
        `INSERT INTO ${name} SELECT (jsonb_populate_record(one, jsonb_build_object(${different}))).*
           FROM (SELECT t AS one FROM ${name} t LIMIT 1) AS made, generate_series(1, ${many}) AS g`,
      );
      await pool.query(`ANALYZE ${name}`);
    }
    await pool.end();
    // What they refer to.
    for (const { name } of tables.filter((each) => grown[each.name] === undefined)) await copy(name);
  });
  afterAll(async () => {
    for (const side of [here, there]) {
      await side?.db.destroy();
      await side?.database.drop();
    }
  });

  async function copy(name: string): Promise<{ read: number[]; stored: number[] }> {
    const read: number[] = [];
    const stored: number[] = [];
    for (let after: string | null = null; ;) {
      const { next, ...page } = await here.rows.page(home, name, after);
      await there.rows.store(home, name, page);
      if (page.rows.length === pageRows) {
        read.push(here.seen.at(-1) ?? 0);
        stored.push(there.seen.at(-1) ?? 0);
      }
      if (next === null) return { read, stored };
      after = next;
    }
  }

  it.each(Object.keys(grown))(
    '%s: with many rows, a page is stored without looking at those of other pages, also when copied again',
    async (name) => {
      const isRead = tables.some((each) => each.name === name && each.of.startsWith('t.project_id'));
      for (const time of ['first', 'again']) {
        const { read, stored } = await copy(name);
        expect({ time, pages: stored.length }).toEqual({ time, pages: many / pageRows });
        expect(Math.max(...stored)).toBeLessThanOrEqual(4 * pageRows);
        // Of a table whose rows belong to those of another one, the rest is sorted anew as long as it is small.
        if (isRead) expect(Math.max(...read)).toBeLessThan(2 * pageRows);
      }
    },
  );
});

/** Of what the connection has not reported yet: what was seen before the transaction counts, too. */
async function rowsSeen(tx: Transaction): Promise<number> {
  const [row] = (await tx.query(
    'SELECT sum(seq_tup_read + idx_tup_fetch)::integer AS rows FROM pg_stat_xact_user_tables',
  )) as { rows: number }[];
  return row?.rows ?? 0;
}
