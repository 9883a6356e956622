import type { MovedTable } from './moved-rows.js';

/** Of a table: its name is quoted. */
export interface Column {
  name: string;
  type: string;
  /** Its place in the primary key. */
  key: number | null;
}

/** Rows with a key: those that are there become as they came. */
export function upsert({ name, of, may }: MovedTable, columns: Column[], names: string, from: string): string {
  const key = list(
    columns.filter((column) => column.key !== null),
    (column) => column.name,
  );
  const others = columns.filter((column) => column.key === null);
  const set = list(others, ({ name: column }) => `${column} = excluded.${column}`);
  const change = `DO UPDATE SET ${set} WHERE ${of.replaceAll('$2', '$3').replaceAll('$1', '$2')}`;
  return `INSERT INTO ${name} AS t (${names}) ${from}
    ON CONFLICT (${key}) ${may === 'add' || others.length === 0 ? 'DO NOTHING' : change}`;
}

/** Rows without a key: those that are not there yet, as they are. */
export function addNew(table: MovedTable, names: string, from: string): string {
  return `INSERT INTO ${table.name} (${names}) SELECT n.* FROM (${from}) AS n(${names})
    WHERE NOT EXISTS (SELECT FROM ${table.name} o WHERE ${isSame(table)})`;
}

/** Of rows without a key that are there: an erasure, or an aborted move, has changed their words since. */
export function takeWords(table: MovedTable, words: string[], names: string, from: string): string {
  const exact = isSame({ ...table, words: [] });
  return `UPDATE ${table.name} o SET ${list(words, (column) => `${column} = n.${column}`)} FROM (${from}) AS n(${names})
    WHERE ${isSame(table)} AND NOT EXISTS (SELECT FROM ${table.name} o WHERE ${exact})`;
}

/** SQL: whether the row `o` that is there is the row `n` that comes. */
function isSame({ pagedBy, words = [] }: MovedTable): string {
  const but = `ARRAY[${list(words, (column) => `'${column}'`)}]::text[]`;
  return `o.${pagedBy} = n.${pagedBy} AND to_jsonb(o) - ${but} = to_jsonb(n) - ${but}`;
}

export const list = <T>(items: T[], write: (item: T, at: number) => string): string => items.map(write).join(', ');
