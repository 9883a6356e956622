import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { MovedTable } from './moved-rows.js';
import { type Column, list } from './store-sql.js';

/** A table, with what its rows are paged by. */
export type KeyedTable = MovedTable & { keys: Column[] };

/** Keys of one statement: it has to end before its role's time limit. */
const batch = 5_000;

/**
 * Deletes the rows of a project whose hold says that nobody needs them: it was arriving, and its move is aborted, or it has left, and
 * comes back. Killed, it goes on where it was when it is asked again. What a service may not delete is left without words after an
 * abort, and stored over; of one that comes back it is deleted by who may.
 */
export class RowRemoval {
  /** When the hold began: rows that are stored under another one are not touched, however late a statement comes. */
  private heldAt = '';

  constructor(
    private readonly db: Queryable,
    private readonly scope: ProjectScope,
    private readonly endMs: number,
  ) {}

  /** @returns whether nothing is left */
  async run(tables: KeyedTable[], forget: string[]): Promise<boolean> {
    const { projectId, organizationId } = this.scope;
    const [held] = (await this.db.query(
      `SELECT h.held_at::text AS at, h.state FROM journal.project_hold h
        WHERE h.project_id = $1 AND h.organization_id = $2 AND ${isLetGo}`,
      [projectId, organizationId],
    )) as { at: string; state: string }[];
    if (!held) return true;
    this.heldAt = held.at;
    // What others refer to goes after them.
    for (const table of tables.filter(({ may }) => may === undefined).toReversed()) {
      if (!(await this.repeat(deletion(table)))) return false;
    }
    if (held.state === 'left') return this.forget(forget);
    for (const { words, ...table } of tables.filter(({ may }) => may !== undefined)) {
      if (words && !(await this.repeat(withoutWords(table, words)))) return false;
    }
    return true;
  }

  private async repeat(sql: string): Promise<boolean> {
    const { projectId, organizationId } = this.scope;
    while (performance.now() < this.endMs) {
      const result: unknown = await this.db.query(sql, [projectId, organizationId, this.heldAt]);
      if ((result as [unknown[], number])[1] === 0) return true;
    }
    return false;
  }

  private async forget(statements: string[]): Promise<boolean> {
    const { projectId, organizationId } = this.scope;
    for (const sql of statements) {
      for (let gone = 1; gone > 0;) {
        if (performance.now() >= this.endMs) return false;
        const rows = (await this.db.query(sql, [projectId, organizationId, batch])) as { gone: string }[];
        gone = Number(rows[0]?.gone ?? 0);
      }
    }
    return true;
  }
}

/** SQL: whether the rows of a project with the hold `h` are of no use here. */
const isLetGo = "(h.state = 'arriving' OR h.state = 'left' AND h.ended_at IS NOT NULL)";

const isHeldSince = `EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = $1 AND h.organization_id = $2
  AND h.held_at = $3::timestamptz AND ${isLetGo})`;

const deletion = (table: KeyedTable): string => `DELETE FROM ${table.name} t WHERE ${nextRows(table, 'true')}`;

const withoutWords = (table: KeyedTable, words: string[]): string =>
  `UPDATE ${table.name} t SET ${list(words, (column) => `${column} = NULL`)}
    WHERE ${nextRows(table, words.map((column) => `t.${column} IS NOT NULL`).join(' OR '))}`;

function nextRows({ name, of, keys }: KeyedTable, condition: string): string {
  const key = list(keys, ({ name: column }) => `t.${column}`);
  return `(${of}) AND (${key}) IN (SELECT ${key} FROM ${name} t
    WHERE (${of}) AND (${condition}) AND ${isHeldSince} ORDER BY ${key} LIMIT ${batch})`;
}
