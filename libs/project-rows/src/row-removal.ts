import type { ProjectScope } from '#libs/contracts';
import type { Database } from '#libs/database';
import type { MovedTable } from './moved-rows.js';
import { lockToRemove } from './project-lock.js';
import { type Column, list } from './store-sql.js';

/** A table, with what its rows are paged by. */
export type KeyedTable = MovedTable & { keys: Column[] };

export interface RemovalLimits {
  /** By the clock of this process: no statement begins after it. */
  endMs: number;
  /** Keys of one statement: it has to end before its role's time limit. */
  batch: number;
}

interface LetGo {
  at: string;
  state: string;
}

/**
 * Deletes the rows of a project whose hold says that nobody needs them: it was arriving, and its move is aborted, or it has left, and
 * comes back. Killed, it goes on where it was when it is asked again. What a service may not delete is left without words after an
 * abort, and stored over; of one that comes back it is deleted by who may.
 *
 * Each batch is a transaction under a lock of the project in this schema. So one that finds nothing means that nothing is there: it
 * has not waited for another removal, whose rows it would have missed, and no page is being stored.
 */
export class RowRemoval {
  constructor(
    private readonly db: Database,
    private readonly schema: string,
    private readonly scope: ProjectScope,
    private readonly limits: RemovalLimits,
  ) {}

  /** @returns whether nothing is left; false, too, when somebody else stores or deletes, or its rows may not be deleted any more */
  async run(tables: KeyedTable[], forget: string[]): Promise<boolean> {
    const held = await this.find();
    if (!held) return false;
    const { batch } = this.limits;
    const hasLeft = held.state === 'left';
    // What others refer to goes after them.
    const deletions = tables.filter(({ may }) => may === undefined).toReversed();
    const kept = hasLeft ? [] : tables.filter(({ may }) => may !== undefined);
    const statements = [
      ...deletions.map((table) => deletion(table, batch, hasLeft)),
      ...kept.flatMap(({ words, ...table }) => (words ? [withoutWords(table, words, batch)] : [])),
    ];
    for (const sql of statements) if (!(await this.repeat(sql, held.at))) return false;
    // Under another hold they have found nothing, whatever is there.
    if ((await this.find())?.at !== held.at) return false;
    for (const sql of hasLeft ? forget : []) if (!(await this.repeat(sql, batch))) return false;
    return true;
  }

  /** When the hold began: rows that are stored under another one are not touched, however late a statement comes. */
  private async find(): Promise<LetGo | undefined> {
    const [held] = (await this.db.query(
      `SELECT h.held_at::text AS at, h.state FROM journal.project_hold h
        WHERE h.project_id = $1 AND h.organization_id = $2 AND ${isLetGo}`,
      [this.scope.projectId, this.scope.organizationId],
    )) as LetGo[];
    return held;
  }

  /** @returns whether the last batch has found nothing */
  private async repeat(sql: string, third: string | number): Promise<boolean> {
    const { projectId, organizationId } = this.scope;
    while (performance.now() < this.limits.endMs) {
      const gone = await this.db.transaction(async (tx) => {
        if (!(await lockToRemove(tx, this.schema, this.scope))) return null;
        const [row] = (await tx.query(sql, [projectId, organizationId, third])) as { gone: string }[];
        return Number(row?.gone ?? 0);
      });
      if (gone === null) return false;
      if (gone === 0) return true;
    }
    return false;
  }
}

/** SQL: whether the rows of a project with the hold `h` are of no use here. */
const isLetGo = "h.state IN ('arriving', 'left') AND h.ended_at IS NOT NULL";

const isHeldSince = `EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = $1 AND h.organization_id = $2
  AND h.held_at = $3::timestamptz AND ${isLetGo})`;

/** What the journal says of a receipt that has left goes with it: nothing else finds it by an index. */
function deletion(table: KeyedTable, batch: number, hasLeft: boolean): string {
  const forgets = hasLeft && table.receipt !== undefined;
  return `WITH gone AS (DELETE FROM ${table.name} t WHERE ${nextRows(table, 'true', batch)}
                        RETURNING ${forgets ? `t.${table.receipt}` : '1'} AS receipt)
    SELECT count(*) AS gone ${forgets ? ', journal.forget_left_receipts($1, $2, array_agg(receipt))' : ''} FROM gone`;
}

const withoutWords = (table: KeyedTable, words: string[], batch: number): string =>
  `WITH gone AS (UPDATE ${table.name} t SET ${list(words, (column) => `${column} = NULL`)}
      WHERE ${nextRows(table, words.map((column) => `t.${column} IS NOT NULL`).join(' OR '), batch)} RETURNING 1)
    SELECT count(*) AS gone FROM gone`;

function nextRows({ name, of, keys }: KeyedTable, condition: string, batch: number): string {
  const key = list(keys, ({ name: column }) => `t.${column}`);
  return `(${of}) AND (${key}) IN (SELECT ${key} FROM ${name} t
    WHERE (${of}) AND (${condition}) AND ${isHeldSince} ORDER BY ${key} LIMIT ${batch})`;
}
