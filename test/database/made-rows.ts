import type { MovedTable } from '#libs/project-rows';
import { createHash } from 'node:crypto';
import type pg from 'pg';

type Row = Record<string, string | null>;

interface Column {
  name: string;
  type: string;
  nullable: boolean;
}

/** Of each table that moves, rows of one project: one with all of its columns, and one with as few as it may have. */
export class MadeRows {
  private readonly made = new Map<string, Row[]>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly organizationId: string,
    private readonly projectId: string,
  ) {}

  /** @param tables in the order of their list: what a row refers to is there before it */
  async make(tables: MovedTable[]): Promise<void> {
    for (const table of tables) {
      const columns = await this.columns(table.name);
      const parents = await this.parents(table);
      const rows = [1, 2].map((n) => this.row(table, columns, parents, n));
      for (const row of rows) {
        const names = Object.keys(row).filter((name) => row[name] !== undefined);
        await this.pool.query(
          `INSERT INTO ${table.name} (${names.map((name) => `"${name}"`).join(', ')})
           SELECT ${names.map((name, at) => `$${at + 1}::text::${columns.find((each) => each.name === name)?.type}`).join(', ')}
           ON CONFLICT DO NOTHING`,
          names.map((name) => row[name]),
        );
      }
      this.made.set(table.name, rows);
    }
  }

  private row(table: MovedTable, columns: Column[], parents: Parents[], n: number): Row {
    const row: Row = {};
    for (const column of columns) {
      if (n === 2 && column.nullable) row[column.name] = null;
      else row[column.name] = this.value(table.name, column, n);
    }
    for (const { parent, pairs } of parents) {
      const of = this.made.get(parent)?.[n - 1];
      if (!of) throw new Error(`${table.name} refers to ${parent}, which is not before it`);
      for (const [own, its] of pairs) {
        if (row[own] !== null || columns.find(({ name }) => name === own)?.nullable === false)
          row[own] = of[its] ?? null;
      }
    }
    const scope = JSON.stringify({ organization_id: this.organizationId, project_id: this.projectId });
    if (table.name === 'ingress.endpoint') row['definition'] = scope;
    if (table.name === 'gateway.inbound_wait') row['job'] = scope;
    if (table.name === 'journal.entry' && n === 2) row['stage'] = 'received';
    return row;
  }

  private value(table: string, { name, type }: Column, n: number): string {
    if (name === 'project_id' || (table === 'portal.project' && name === 'id')) return this.projectId;
    if (name === 'organization_id') return this.organizationId;
    const seed = `${table}.${name} of ${this.projectId} ${n}`;
    const hash = createHash('sha256').update(seed).digest('hex');
    const known: Record<string, string> = {
      text: `${seed}: „ü“ \\ ' \u{1f600}\n`,
      integer: String(n),
      bigint: String(9_007_199_254_740_993n + BigInt(n)),
      boolean: String(n === 1),
      json: `{"seed": ${JSON.stringify(seed)}, "large": 12345678901234567890.10, "none": null}`,
      jsonb: `{"seed": ${JSON.stringify(seed)}, "large": 12345678901234567890.10, "none": null}`,
      bytea: `\\x00${hash}`,
      'timestamp with time zone': `2026-01-0${n} 12:34:56.789012+00`,
      'double precision': String(0.1 + 0.2),
      'text[]': `{"a,\\"b","",${n}}`,
      'bigint[]': `{9007199254740993,${n}}`,
      uuid: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
      date: `2026-01-0${n}`,
      tsvector: `'word':${n} 'other':2`,
      'bit varying': '10110',
    };
    const value = known[type];
    if (value === undefined)
      throw new Error(`${table}.${name} is of the type ${type}: say what a value of it looks like`);
    return value;
  }

  private async columns(table: string): Promise<Column[]> {
    const { rows } = await this.pool.query<Column>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable
         FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [table],
    );
    return rows;
  }

  /** What its rows refer to: by the list, and by foreign keys. */
  private async parents({ name, of }: MovedTable): Promise<Parents[]> {
    const through = /^EXISTS \(SELECT FROM (?<parent>[\w.]+) p WHERE p\.(?<its>\w+) = t\.(?<own>\w+)/.exec(of);
    const among = /^t\.(?<own>\w+) IN \(SELECT p\.(?<its>\w+) FROM (?<parent>[\w.]+) p/.exec(of);
    const { own, its, parent } = (through ?? among)?.groups ?? {};
    const listed = own && its && parent ? [{ parent, pairs: [[own, its]] as [string, string][] }] : [];
    const { rows } = await this.pool.query<{ parent: string; own: string[]; its: string[] }>(
      `SELECT c.confrelid::regclass::text AS parent,
              ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY k(num, at) JOIN pg_attribute a
                ON a.attrelid = c.conrelid AND a.attnum = k.num ORDER BY k.at) AS own,
              ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY k(num, at) JOIN pg_attribute a
                ON a.attrelid = c.confrelid AND a.attnum = k.num ORDER BY k.at) AS its
         FROM pg_constraint c WHERE c.conrelid = $1::regclass AND c.contype = 'f' AND c.conparentid = 0`,
      [name],
    );
    return [
      ...listed,
      ...rows.map((row) => ({
        parent: row.parent,
        pairs: row.own.map((column, at): [string, string] => [column, row.its[at] ?? '']),
      })),
    ];
  }
}

interface Parents {
  parent: string;
  pairs: [own: string, its: string][];
}
