import { useLocation, useNavigate } from '@tanstack/react-router';
import type { Column } from './data-table.js';
import { once } from './numbers.js';

export interface Sort {
  by: string;
  descending: boolean;
}

/** How the table of a page is sorted. The URL keeps it (`?sort=-name`). */
export function useSort(): [Sort | null, (sort: Sort) => void] {
  // The URL may contain anything.
  const sort = useLocation({ select: ({ search }) => textOf((search as { sort?: unknown }).sort) });
  const navigate = useNavigate();
  const keep = ({ by, descending }: Sort): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, sort: descending ? `-${by}` : by }), replace: true });
  return [sort === null ? null : { by: sort.replace(/^-/, ''), descending: sort.startsWith('-') }, keep];
}

/** Whether a list is read from its newest (`desc`) or its oldest end. @param column of its table that is `ordered` */
export function useOrder(column: string): 'desc' | 'asc' {
  const [sort] = useSort();
  return sort?.by === column && !sort.descending ? 'asc' : 'desc';
}

/** The filter of a page's list, without how its table is sorted. */
export function filterOf<Search extends object>(search: Search): Omit<Search, 'sort'> {
  const { sort: _, ...filter } = search as Search & { sort?: unknown };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Omit<Search, 'sort'>;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const collator = once(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }));

/** The rows sorted by the value of a column; rows without a value come last. */
export function sortedRows<Row>(rows: Row[], columns: Column<Row>[], sort: Sort | null): Row[] {
  const value = columns.find(({ id }) => id === sort?.by)?.value;
  if (!sort || !value) return rows;
  const { compare } = collator();
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b));
    return sort.descending ? -order : order;
  });
}
