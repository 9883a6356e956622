import { UnstyledButton } from '@mantine/core';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Column } from './data-table.js';
import type { Sort } from './use-sort.js';
import classes from './data-table.module.css';

interface TableHeadProps<Row> {
  columns: Column<Row>[];
  sort: Sort | null;
  /** All rows are loaded: they are sorted here, by any column. */
  whole: boolean;
  onSort: (sort: Sort) => void;
}

export function TableHead<Row>({ columns, sort, whole, onSort }: TableHeadProps<Row>): ReactNode {
  return (
    <div role="rowgroup" className={classes.headGroup}>
      <div role="row" className={classes.head} aria-rowindex={1}>
        {columns.map(({ id, label, value, ordered, hideOnPhone }) => {
          const by = sort?.by === id ? sort : ordered && !sort ? { descending: true } : null;
          const Arrow = by?.descending ? ArrowDown : ArrowUp;
          const order = by ? (by.descending ? 'descending' : 'ascending') : undefined;
          return (
            <div key={id} role="columnheader" aria-sort={order} className={classes.cell} data-optional={hideOnPhone}>
              {(value && whole) || ordered ? (
                <UnstyledButton
                  className={classes.sort}
                  onClick={() => onSort({ by: id, descending: by !== null && !by.descending })}
                >
                  {label} {by && <Arrow size={13} aria-hidden />}
                </UnstyledButton>
              ) : (
                label
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
