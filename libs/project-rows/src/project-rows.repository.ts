import type { ProjectScope } from '#libs/contracts';
import { Database, isRefusedRow, type Queryable, storableJson } from '#libs/database';
import { findHold, type ProjectHold } from '#libs/journal';
import { Problem } from '#libs/service-kit';
import type { MovedRows, MovedTable } from './moved-rows.js';
import { foreignRow, refuseForeign, unknownAfter, valuesIn } from './page-refusals.js';
import { lockToStore } from './project-lock.js';
import { RowRemoval } from './row-removal.js';
import { addNew, byIndex, type Column, list, takeWords, upsert } from './store-sql.js';

/** Rows of one table: each value as Postgres writes it, so that it comes back exactly as it was. */
export interface RowsPage {
  columns: string[];
  rows: (string | null)[][];
}

export interface OpenCount {
  what: string;
  count: number;
}

interface CountedTable {
  table: string;
  rows: number;
  /** Its rows end by age only, or may not be deleted: the installation where they arrive may have more of them. */
  ages: boolean;
  /** Rows are added while it moves: where they arrive there are at least as many as there were before the copy. */
  grows: boolean;
  /** Of one that grows: the key of its last row, up to which it is copied. */
  last: string | null;
}

/** What a service says of the rows of a project. */
export interface RowsInventory {
  /** A digest of the columns of all that moves: equal where another installation has the same tables. */
  shape: string;
  /** In the order in which they are to be stored. */
  tables: CountedTable[];
  /** What has to end before they are copied. */
  open: OpenCount[];
  /** Ids of turns and deliveries that wait here as rows that move: other services count them as open unless given these. */
  waiting: string[];
  stays: { table: string; why: string }[];
}

/** Before the row in which a page is full. A row that is larger has a page of its own. */
const pageBytes = 4 * 1024 * 1024;
const pageRows = 1_000;
/** Of what waits. What is beyond counts as open. */
const waitingLimit = 50_000;

/** The rows that a service has of a project: read and stored table by table, page by page. */
export class ProjectRows {
  constructor(
    private readonly db: Database,
    private readonly lists: MovedRows[],
    private readonly removalBatch = 5_000,
  ) {}

  private get tables(): MovedTable[] {
    return this.lists.flatMap(({ moved }) => moved);
  }

  /** The first one's: what is locked is locked for all of them. */
  private get schema(): string {
    return this.lists[0]?.schema ?? '';
  }

  /** The hold of the project here; null: it is not held. */
  async holdOf({ organizationId, projectId }: ProjectScope): Promise<ProjectHold | null> {
    const found = await findHold(this.db, projectId);
    return found?.organization_id === organizationId ? found : null;
  }

  /** Deletes what a project has here, as far as it comes within that time. @returns whether nothing is left. As `RowRemoval` */
  async remove(scope: ProjectScope, withinMs: number): Promise<boolean> {
    const tables = await this.scoped();
    const keyed = [];
    for (const table of tables) keyed.push({ ...table, keys: keysOf(table, await this.columns(table)) });
    const forget = this.lists.flatMap((each) => each.forget ?? []);
    const limits = { endMs: performance.now() + withinMs, batch: this.removalBatch };
    return new RowRemoval(this.db, this.schema, scope, limits).run(keyed, forget);
  }

  async inventory(scope: ProjectScope): Promise<RowsInventory> {
    const [shape, tables, waiting] = [await this.shape(), await this.counts(scope), await this.waiting(scope)];
    const stays = this.lists.flatMap((each) => Object.entries(each.stays));
    const open = await this.open(scope, []);
    return { shape, tables, open, waiting, stays: stays.map(([table, why]) => ({ table, why })) };
  }

  /** How many rows each table has of a project. */
  async counts(scope: ProjectScope): Promise<CountedTable[]> {
    const counted = [];
    for (const table of await this.scoped()) {
      const { name, of, may, ages, grows = false } = table;
      const sql = `SELECT count(*) FROM ${name} t WHERE ${of}`;
      const rows = await count(this.db, sql, scope.projectId, scope.organizationId);
      // After the count: what was counted is up to there.
      const last = grows && rows > 0 ? await this.last(scope, table) : null;
      counted.push({ table: name, rows, ages: ages ?? may !== undefined, grows, last });
    }
    return counted;
  }

  private async last({ organizationId, projectId }: ProjectScope, table: MovedTable): Promise<string | null> {
    const keys = keysOf(table, await this.columns(table));
    const rows = (await this.db.query(
      `SELECT ARRAY[${list(keys, ({ name: key }) => `t.${key}::text`)}] AS key FROM ${table.name} t WHERE ${table.of}
        ORDER BY ${list(keys, ({ name: key }) => `t.${key} DESC`)} LIMIT 1`,
      [projectId, organizationId],
    )) as { key: string[] }[];
    return rows[0] ? JSON.stringify(rows[0].key) : null;
  }

  /** @param elsewhere ids of what waits in other services as rows that move: it does not have to end */
  async open({ projectId }: ProjectScope, elsewhere: string[]): Promise<OpenCount[]> {
    const found: OpenCount[] = [];
    for (const { what, count: sql } of this.lists.flatMap(({ open }) => open)) {
      const n = await count(this.db, sql, projectId, ...(sql.includes('$2') ? [elsewhere] : []));
      if (n > 0) found.push({ what, count: n });
    }
    return found;
  }

  private async waiting({ projectId }: ProjectScope): Promise<string[]> {
    const found: string[] = [];
    for (const sql of this.lists.flatMap(({ waiting }) => waiting ?? [])) {
      const rows = (await this.db.query(`${sql} LIMIT ${waitingLimit}`, [projectId])) as { id: string }[];
      found.push(...rows.map(({ id }) => id));
    }
    return found;
  }

  private async shape(): Promise<string> {
    const [row] = (await this.db.query(
      `SELECT md5(string_agg(a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ','
                ORDER BY a.attrelid::regclass::text, a.attname)) AS shape
         FROM pg_attribute a WHERE a.attrelid = ANY($1::regclass[]) AND a.attnum > 0 AND NOT a.attisdropped`,
      [this.tables.map(({ name }) => name)],
    )) as { shape: string }[];
    return row?.shape ?? '';
  }

  /**
   * @param after `next` of the page before, null for the first
   * @param upto `last` of the table at an earlier count: what is beyond it is left out, so that there is a last page
   * @returns `next`: null after the last row
   * @throws Problem 422 `after_unknown`
   */
  async page(
    { organizationId, projectId }: ProjectScope,
    name: string,
    after: string | null,
    upto: string | null = null,
  ): Promise<RowsPage & { next: string | null }> {
    const table = await this.table(name);
    const columns = await this.columns(table);
    const keys = keysOf(table, columns);
    const given = after === null ? [] : valuesIn(name, after, keys);
    const within = upto === null ? [] : valuesIn(name, upto, keys);
    const own = list(keys, (key) => `t.${key.name}`);
    const bound = (first: number) => list(keys, (key, at) => `$${at + first}::text::${key.type}`);
    const [later, earlier] = [
      given.length > 0 ? `AND (${own}) > (${bound(3)})` : '',
      within.length > 0 ? `AND (${own}) <= (${bound(3 + given.length)})` : '',
    ];
    const order = list(keys, ({ name: key }) => key);
    const read = this.db.query(
      `WITH found AS (SELECT t.* FROM ${name} t WHERE ${table.of} ${later} ${earlier}
          ORDER BY ${order} FETCH FIRST ${pageRows} ROWS WITH TIES),
       sized AS (SELECT f.*, sum(pg_column_size(f.*)) OVER (ORDER BY ${order})
            - sum(pg_column_size(f.*)) OVER (PARTITION BY ${order}) AS bytes_before FROM found f)
       SELECT ARRAY[${list(columns, ({ name: column }) => `${column}::text`)}] AS row, ARRAY[${list(keys, ({ name: key }) => `${key}::text`)}] AS key
         FROM sized WHERE bytes_before < ${pageBytes} ORDER BY ${order}`,
      [projectId, organizationId, ...given, ...within],
    );
    const rows = (await read.catch((error: unknown) => {
      throw given.length + within.length > 0 && isRefusedRow(error) ? unknownAfter(name) : error;
    })) as { row: (string | null)[]; key: string[] }[];
    const last = rows.at(-1);
    return {
      columns: columns.map(({ name: column }) => unquoted(column)),
      rows: rows.map(({ row }) => row),
      next: last === undefined ? null : JSON.stringify(last.key),
    };
  }

  /**
   * Stores rows as they are. Stored again, they are as they came last.
   * @param since as `lockToStore`
   * @throws Problem 422 `foreign_row` for a row that is not the project's: nothing is stored then; 409 `not_held`
   */
  async store(scope: ProjectScope, name: string, { columns: given, rows }: RowsPage, since?: string): Promise<void> {
    const table = await this.table(name);
    const known = await this.columns(table);
    const columns = given.map((column) => {
      const found = known.find((each) => unquoted(each.name) === column);
      if (!found) throw new Problem(422, 'unknown_column', `${name} has no column ${column}: the releases differ.`);
      return found;
    });
    refuseForeign(scope, name, given, rows);
    if (rows.length === 0) return;
    const names = list(columns, (column) => column.name);
    const from = `SELECT ${list(columns, ({ type }, at) => `(r ->> ${at})::${type}`)} FROM jsonb_array_elements($1::jsonb) AS r`;
    const keys = keysOf(table, columns);
    const json = storableJson(rows);
    await this.db.transaction(async (tx) => {
      await lockToStore(tx, this.schema, scope, since);
      const isKeyed = table.pagedBy === undefined;
      if (!isKeyed) await tx.query(byIndex);
      if (!isKeyed && table.words) await tx.query(takeWords(table, columns, table.words, names, from), [json]);
      const insert = isKeyed ? upsert(table, columns, names, from) : addNew(table, columns, names, from);
      await tx.query(insert, insert.includes('$2') ? [json, scope.projectId, scope.organizationId] : [json]);
      // These have said whose they are, and none that was there has become another one.
      if (!isKeyed && ['organization_id', 'project_id'].every((each) => given.includes(each))) return;
      // One that was there may be somebody else's, and so may the parent of one that was not. OFFSET: each by its own key.
      const key = list(keys, ({ name: column }) => `t.${column}`);
      const its = list(keys, (column) => `(r ->> ${columns.indexOf(column)})::${column.type}`);
      const foreign = await count(
        tx,
        `SELECT count(*) FROM jsonb_array_elements($3::jsonb) AS r WHERE NOT EXISTS (
           SELECT FROM (SELECT t.* FROM ${name} t WHERE (${key}) = (${its}) OFFSET 0) AS t WHERE ${table.of})`,
        scope.projectId,
        scope.organizationId,
        json,
      );
      if (foreign > 0) throw foreignRow(name);
    });
  }

  /** The tables, each with an `of` that also asks for the organization `$2`: the row, if it says one, or else the hold. */
  private async scoped(): Promise<MovedTable[]> {
    const rows = (await this.db.query(
      `SELECT name FROM unnest($1::text[]) AS name
        WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = name::regclass AND a.attname = 'organization_id')`,
      [this.tables.map(({ name }) => name)],
    )) as { name: string }[];
    const says = new Set(rows.map(({ name }) => name));
    return this.tables.map(({ of, ...table }) => ({
      ...table,
      of: `(${of}) AND ${says.has(table.name) ? 't.organization_id = $2' : notOthers}`,
    }));
  }

  private async table(name: string): Promise<MovedTable> {
    const table = (await this.scoped()).find((each) => each.name === name);
    if (!table) throw new Problem(404, 'table_not_found', `No rows of ${name} move.`);
    return table;
  }

  private async columns({ name }: MovedTable): Promise<Column[]> {
    return (await this.db.query(
      `SELECT quote_ident(a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type,
              array_position(i.indkey::smallint[], a.attnum) AS key,
              coalesce(a.attnum = ANY(p.partattrs::smallint[]), false) AS partitions
         FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
         LEFT JOIN pg_partitioned_table p ON p.partrelid = a.attrelid
        WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum`,
      [name],
    )) as Column[];
  }
}

/** SQL: whether no other organization than `$2` has the hold of the project `$1`. */
const notOthers = 'NOT EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = $1 AND h.organization_id <> $2)';

const unquoted = (name: string): string => name.replaceAll('"', '');

function keysOf({ name, pagedBy }: MovedTable, columns: Column[]): Column[] {
  const keys = columns.filter(({ key, name: column }) => (pagedBy === undefined ? key !== null : column === pagedBy));
  if (keys.length === 0) throw new Error(`${name} has no primary key: say what its rows are paged by`);
  return keys.toSorted((a, b) => Number(a.key) - Number(b.key));
}

async function count(db: Queryable, sql: string, ...parameters: unknown[]): Promise<number> {
  const [row] = (await db.query(sql, parameters)) as { count: string }[];
  return Number(row?.count ?? 0);
}
