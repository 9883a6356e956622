import { allSchemas, Database, dataSourceOptions } from '#libs/database';
import { type MovedRows, type MovedTable, ProjectRows } from '#libs/project-rows';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import pg from 'pg';
import { MadeRows } from './made-rows.js';
import { movedLists } from './moved-lists.js';

const home = { organizationId: 'org_home', projectId: 'prj_moved' };
const neighbor = { organizationId: 'org_home', projectId: 'prj_neighbor' };

interface Side {
  database: TestDatabase;
  pool: pg.Pool;
  db: Database;
  rows: ProjectRows;
}

describe('the rows of a project that moves', () => {
  let lists: MovedRows[];
  let tables: MovedTable[];
  let here: Side;
  let there: Side;

  async function open(): Promise<Side> {
    const database = await testDatabase();
    const schema = { name: 'public', entities: [], migrations: [] };
    const options = dataSourceOptions(schema, { url: database.url, poolSize: 2, applicationName: 'test' });
    const db = await new Database(options).initialize();
    return {
      database,
      pool: new pg.Pool({ connectionString: database.url, max: 2 }),
      db,
      rows: new ProjectRows(db, lists),
    };
  }

  beforeAll(async () => {
    lists = await movedLists();
    tables = lists.flatMap(({ moved }) => moved);
    here = await open();
    there = await open();
    for (const scope of [home, neighbor]) {
      await new MadeRows(here.pool, scope.organizationId, scope.projectId).make(tables);
    }
  });
  afterAll(async () => {
    for (const side of [here, there]) {
      await side?.db.destroy();
      await side?.pool.end();
      await side?.database.drop();
    }
  });

  const contents = async ({ pool }: Side, { name, of }: MovedTable, projectId: string): Promise<string[]> => {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} t WHERE (${of}) AND $2::text IS NOT NULL ORDER BY t::text COLLATE "C"`,
      [projectId, home.organizationId],
    );
    return rows.map(({ row }) => row);
  };

  async function copy(): Promise<void> {
    for (const { name } of tables) {
      for (let after: string | null = null; ;) {
        const { next, ...page } = await here.rows.page(home, name, after);
        await there.rows.store(home, name, page);
        if (next === null) break;
        after = next;
      }
    }
  }

  it('each table of each schema is in one list: it moves, or it is said why it stays', async () => {
    const { rows } = await here.pool.query<{ name: string }>(
      `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'migration'`,
      [(await allSchemas('ts')).map(({ schema }) => schema.name)],
    );
    const named = lists.flatMap(({ moved, stays }) => [...moved.map(({ name }) => name), ...Object.keys(stays)]);
    expect(named.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it('a table with a column for the project moves, unless the list says that it has none at rest', async () => {
    const { rows } = await here.pool.query<{ name: string }>(
      `SELECT a.attrelid::regclass::text AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY($1) AND a.attname = 'project_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
      [lists.map(({ schema }) => schema)],
    );
    const moved = new Set(tables.map(({ name }) => name));
    const left = rows.map(({ name }) => name).filter((name) => !moved.has(name));
    expect(left.toSorted()).toEqual(['engine.turn_slot', 'journal.project_hold', 'journal.project_peer']);
  });

  it('every row arrives exactly as it was, in every table, and none of the neighbor', async () => {
    await copy();
    for (const table of tables) {
      const before = await contents(here, table, home.projectId);
      expect({ table: table.name, empty: before.length === 0 }).toEqual({ table: table.name, empty: false });
      expect({ table: table.name, rows: await contents(there, table, home.projectId) }).toEqual({
        table: table.name,
        rows: before,
      });
      expect(await contents(there, table, neighbor.projectId)).toEqual([]);
    }
    expect(await there.rows.counts(home)).toEqual(await here.rows.counts(home));
  });

  it('copied again, rows are as they came last, and none is there twice', async () => {
    await here.pool.query(`UPDATE engine.agent SET instructions = 'newer' WHERE project_id = $1`, [home.projectId]);
    await copy();
    expect(await there.rows.counts(home)).toEqual(await here.rows.counts(home));
    const { rows } = await there.pool.query('SELECT DISTINCT instructions FROM engine.agent');
    expect(rows).toEqual([{ instructions: 'newer' }]);
  });

  it('a row of another project is refused, and so is one whose parent is somebody else’s', async () => {
    const { next: _next, ...agents } = await here.rows.page(neighbor, 'engine.agent', null);
    await expect(there.rows.store(home, 'engine.agent', agents)).rejects.toMatchObject({ code: 'foreign_row' });
    const { next: _more, ...steps } = await here.rows.page(neighbor, 'engine.step', null);
    await expect(there.rows.store(home, 'engine.step', steps)).rejects.toMatchObject({ code: 'foreign_row' });
    const { next: _none, ...marks } = await here.rows.page(neighbor, 'engine.session_mark', null);
    await expect(there.rows.store(home, 'engine.session_mark', marks)).rejects.toMatchObject({ code: 'foreign_row' });
    const { rows } = await there.pool.query(
      'SELECT turn_id FROM engine.step UNION SELECT session_id FROM engine.session_mark',
    );
    expect(rows.filter(({ turn_id: id }) => !id.includes(home.projectId))).toEqual([]);
  });

  it('what is added to a table that grows since it was counted is left out, so that its last page comes', async () => {
    const name = 'ingress.receipt';
    const countedAt = async () => (await here.rows.counts(home)).find(({ table }) => table === name);
    const { rows = 0, last = null } = (await countedAt()) ?? {};
    const all = async (upto: string | null): Promise<number> => {
      let [found, after] = [0, null as string | null];
      do {
        const page = await here.rows.page(home, name, after, upto);
        [found, after] = [found + page.rows.length, page.next];
      } while (after !== null);
      return found;
    };
    const ids = `(SELECT max(id) FROM ingress.receipt WHERE project_id = '${home.projectId}')`;
    const columns = `(jsonb_populate_record(t, jsonb_build_object('id', t.id || 'z'))).*`;
    await here.pool.query(`INSERT INTO ${name} SELECT ${columns} FROM ${name} t WHERE t.id = ${ids}`);
    expect([await all(last), await all(null)]).toEqual([rows, rows + 1]);
    await here.pool.query(`DELETE FROM ${name} WHERE id = ${ids}`);
    await expect(here.rows.page(home, name, null, '[1]')).rejects.toMatchObject({ code: 'after_unknown' });
  });

  it('in the name of another organization nothing of it is counted, stored over or deleted', async () => {
    const stranger = { ...home, organizationId: 'org_stranger' };
    await there.pool.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by, ended_at)
       VALUES ($1, $2, 'arriving', 'x', 'test', now())`,
      [home.projectId, home.organizationId],
    );
    const before = await there.rows.counts(home);
    expect((await there.rows.counts(stranger)).filter(({ rows }) => rows > 0)).toEqual([]);
    const { next: _next, ...agents } = await here.rows.page(home, 'engine.agent', null);
    const at = agents.columns.indexOf('organization_id');
    const taken = { ...agents, rows: agents.rows.map((row) => row.with(at, stranger.organizationId)) };
    await expect(there.rows.store(stranger, 'engine.agent', taken)).rejects.toMatchObject({ code: 'foreign_row' });
    expect(await there.rows.remove(stranger, 60_000)).toBe(false);
    expect(await there.rows.counts(home)).toEqual(before);
  });

  it.each([
    ['engine.agent', '{'],
    ['engine.agent', '"a"'],
    ['engine.agent', '[]'],
    ['engine.agent', '["a", "b"]'],
    ['engine.agent', '[1]'],
    ['journal.statistic', '["prj_moved", "no time", "app"]'],
  ])('no page of %s begins after %s: 422', async (name, after) => {
    await expect(here.rows.page(home, name, after)).rejects.toMatchObject({ status: 422, code: 'after_unknown' });
  });

  it('what waits in another service as a row that moves does not have to end, and neither does a waiting erasure', async () => {
    const scope = { organizationId: 'org_home', projectId: 'prj_waits' };
    await new MadeRows(here.pool, scope.organizationId, scope.projectId).make(tables);
    const { rows: turns } = await here.pool.query<{ id: string }>(
      `UPDATE engine.turn SET state = 'waiting', ended_at = NULL, session_id = NULL
        WHERE id = (SELECT min(id) FROM engine.turn WHERE project_id = $1) RETURNING id`,
      [scope.projectId],
    );
    await here.pool.query(
      `UPDATE router.message SET routed_at = now(), turns = jsonb_build_array(jsonb_build_object('turn_id', $2::text))
        WHERE id = (SELECT min(id) FROM router.message WHERE project_id = $1)`,
      [scope.projectId, turns[0]?.id],
    );
    const turnsOpen = 'turns that the engine has not taken';
    const { open, waiting } = await here.rows.inventory(scope);
    expect(open).toEqual(expect.arrayContaining([{ what: turnsOpen, count: 1 }]));
    expect(waiting).toContain(turns[0]?.id);
    const left = (await here.rows.open(scope, waiting)).map(({ what }) => what);
    for (const what of [turnsOpen, 'erasures of contacts']) expect(left).not.toContain(what);
  });

  it('the notice of a failure has to be taken by the gateway as long as its turn is failed, and no more once it was redriven', async () => {
    const scope = { organizationId: 'org_home', projectId: 'prj_notice' };
    const what = 'replies that the gateway has not taken';
    const open = async () => (await here.rows.open(scope, [])).find((each) => each.what === what)?.count ?? 0;
    await new MadeRows(here.pool, scope.organizationId, scope.projectId).make(tables);
    const become = (state: string) =>
      here.pool.query(
        `UPDATE engine.turn SET state = $2, ended_at = now(), answer_id = NULL, notice_id = 'dlv_notice ' || id WHERE project_id = $1`,
        [scope.projectId, state],
      );
    await become('failed');
    expect(await open()).toBe(2);
    await become('succeeded');
    expect(await open()).toBe(0);
  });

  it('a transaction of the router that began before everybody had heard of the hold has to end', async () => {
    const scope = { organizationId: 'org_home', projectId: 'prj_late' };
    const what = 'transactions of the router that began before the hold';
    const open = async () => (await here.rows.open(scope, [])).find((each) => each.what === what)?.count ?? 0;
    const client = await here.pool.connect();
    try {
      await client.query('BEGIN');
      expect(await open()).toBe(0);
      await here.pool.query(
        `INSERT INTO journal.project_hold (project_id, organization_id, state, held_by) VALUES ($1, $2, 'leaving', 'test')`,
        [scope.projectId, scope.organizationId],
      );
      expect(await open()).toBe(1);
      await client.query('COMMIT');
      await until('it has ended', async () => (await open()) === 0);
    } finally {
      client.release();
      await here.pool.query('DELETE FROM journal.project_hold WHERE project_id = $1', [scope.projectId]);
    }
  });

  it('an aborted move leaves what nobody may delete, and nothing else', async () => {
    expect(await there.rows.remove(home, 60_000)).toBe(true);
    const left = (await there.rows.counts(home)).filter(({ rows }) => rows > 0).map(({ table }) => table);
    expect(left.filter((name) => !name.endsWith('audit'))).toEqual([
      'journal.entry',
      'journal.dead_letter',
      'journal.batch',
      'journal.batch_item',
    ]);
    const { rows: words } = await there.pool.query(
      `SELECT detail::text FROM journal.entry WHERE detail IS NOT NULL
        UNION ALL SELECT error FROM journal.dead_letter WHERE error IS NOT NULL OR redrive_error IS NOT NULL`,
    );
    expect(words).toEqual([]);
  });

  it('after an abort and an erasure, rows arrive as they are by now, and none is there twice', async () => {
    await here.pool.query(`UPDATE journal.entry SET detail = detail - 'seed' WHERE project_id = $1`, [home.projectId]);
    await copy();
    expect(await there.rows.counts(home)).toEqual(await here.rows.counts(home));
    for (const table of tables.filter(({ name }) => name.startsWith('journal.'))) {
      expect(await contents(there, table, home.projectId)).toEqual(await contents(here, table, home.projectId));
    }
  });

  it('no time is no rows: what is asked again goes on, and is done when nothing is left', async () => {
    expect(await there.rows.remove(home, 0)).toBe(false);
    expect(await there.rows.counts(home)).toEqual(await here.rows.counts(home));
  });

  it('what a project has left is deleted only once nothing is handed on, the journal too, and it comes back as it is by then', async () => {
    const hold = (change: string) =>
      there.pool.query(`UPDATE journal.project_hold SET ${change} WHERE project_id = $1`, [home.projectId]);
    await hold(`state = 'left', ended_at = NULL`);
    const before = await there.rows.counts(home);
    expect(await there.rows.remove(home, 60_000)).toBe(false);
    expect(await there.rows.counts(home)).toEqual(before);
    const forget = `SELECT journal.forget_left($1, $2, 10)`;
    await expect(there.pool.query(forget, [home.projectId, home.organizationId])).rejects.toThrow(
      'nothing is handed on',
    );

    await hold('ended_at = now()');
    expect(await there.rows.remove({ ...home, organizationId: 'org_stranger' }, 60_000)).toBe(false);
    expect(await there.rows.counts(home)).toEqual(before);
    expect(await there.rows.remove(home, 60_000)).toBe(true);
    const left = (await there.rows.counts(home)).filter(({ rows }) => rows > 0).map(({ table }) => table);
    expect(left.filter((name) => !name.endsWith('audit'))).toEqual([]);

    await hold(`state = 'arriving', ended_at = NULL, held_at = clock_timestamp()`);
    await copy();
    expect(await there.rows.counts(home)).toEqual(await here.rows.counts(home));
  });

  it('a removal that began before it came back deletes nothing that came since, and is not done', async () => {
    await there.pool.query('UPDATE journal.project_hold SET ended_at = now()');
    // As slow as it gets: the hold has changed between its question and its first statement.
    let changes = 0;
    const query = async (sql: string, values?: unknown[]): Promise<unknown> => {
      const rows: unknown = await there.db.query(sql, values);
      if (sql.includes('h.held_at::text') && changes === 0) {
        changes += 1;
        await there.pool.query('UPDATE journal.project_hold SET held_at = clock_timestamp()');
      }
      return rows;
    };
    const late = Object.assign(Object.create(there.db) as Database, { query });
    const before = await there.rows.counts(home);
    expect(await new ProjectRows(late, lists).remove(home, 60_000)).toBe(false);
    expect(changes).toBe(1);
    expect(await there.rows.counts(home)).toEqual(before);
  });
});
