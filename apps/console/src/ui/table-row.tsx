import { UnstyledButton } from '@mantine/core';
import { Link, type ToOptions, useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, memo, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { own } from '../own.js';
import { uiTexts } from '../texts/ui.js';
import type { Column } from './data-table.js';
import { SelectBox, type SelectBoxProps } from './selection.js';
import classes from './data-table.module.css';
import type { Sort } from './use-sort.js';

interface TableRowProps<Row> {
  index: number;
  lastIndex: number;
  offset: number;
  measure: (element: Element | null) => void;
  columns: Column<Row>[];
  row: Row;
  linkOf: ((row: Row) => ToOptions) | undefined;
  /** The one row that Tab reaches. */
  active: boolean;
  onMove: (to: number) => void;
  /** It has the focus now. */
  onReach: () => void;
  /** Shows beside the list what the row is about, or hides it. */
  onPeek: (() => void) | undefined;
  choice: Omit<SelectBoxProps, 'tabIndex'> | undefined;
}

const pageOfRows = 10;

const isBox = (target: EventTarget): boolean => target instanceof HTMLInputElement && target.type === 'checkbox';

/** One row: Tab reaches it once, arrow keys move between rows, Enter opens it. */
export function TableRow<Row>(props: TableRowProps<Row>): ReactNode {
  const { index, lastIndex, offset, measure, columns, row, linkOf, active, onMove, onReach, onPeek, choice } = props;
  const navigate = useNavigate();
  const element = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    // The focus follows the arrow keys, and is not taken from anything else.
    if (active && document.activeElement?.closest('[role=table]') === element.current?.closest('[role=table]'))
      element.current?.focus({ preventScroll: true });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + pageOfRows,
      PageUp: index - pageOfRows,
      Home: 0,
      End: lastIndex,
    };
    const to = own(targets, event.key);
    const isOnRow = event.target === element.current && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (to !== undefined) onMove(to);
    else if (!isOnRow) return;
    else if (event.key === 'Enter' && linkOf) void navigate(linkOf(row));
    else if ((event.key === ' ' || event.key === 'p') && onPeek) onPeek();
    else if (event.key.toLowerCase() === 'x' && choice) choice.onToggle(event.shiftKey);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent): void => {
    const inner = event.target instanceof Element && event.target.closest('a, button, input');
    if (!linkOf || inner || window.getSelection()?.isCollapsed === false) return;
    void navigate(linkOf(row));
  };
  return (
    <div
      ref={(node) => {
        element.current = node;
        measure(node);
      }}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-link={linkOf !== undefined}
      className={classes.row}
      style={{ transform: `translateY(${offset}px)` }}
      tabIndex={active ? 0 : -1}
      aria-keyshortcuts={[onPeek && 'Space', choice && 'x'].filter(Boolean).join(' ') || undefined}
      // From its box the focus goes on to the row, where the keys of the list are heard.
      onFocus={({ target, currentTarget }) => (target === currentTarget || isBox(target)) && onReach()}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {choice && (
        <div role="cell" className={classes.choice}>
          <SelectBox {...choice} tabIndex={-1} />
        </div>
      )}
      <Cells columns={columns} row={row} linkOf={linkOf} />
    </div>
  );
}

/** The cells of a row. They do not re-render while the list only scrolls. */
const Cells = memo(function Cells<Row>({
  columns,
  row,
  linkOf,
}: Pick<TableRowProps<Row>, 'columns' | 'row' | 'linkOf'>) {
  return columns.map(({ id, cell, hideOnPhone }, at) => (
    <div key={id} role="cell" className={classes.cell} data-optional={hideOnPhone}>
      {at === 0 && linkOf ? (
        <Link {...linkOf(row)} className={classes.link} tabIndex={-1}>
          {cell(row)}
        </Link>
      ) : (
        cell(row)
      )}
    </div>
  ));
}) as <Row>(props: Pick<TableRowProps<Row>, 'columns' | 'row' | 'linkOf'>) => ReactNode;

interface TableHeadProps<Row> {
  columns: Column<Row>[];
  sort: Sort | null;
  /** All rows are loaded: they are sorted here, by any column. */
  whole: boolean;
  onSort: (sort: Sort) => void;
  /** Of a list whose rows can be chosen. */
  chosen: { all: boolean; onAll: (chosen: boolean) => void } | undefined;
}

export function TableHead<Row>({ columns, sort, whole, onSort, chosen }: TableHeadProps<Row>): ReactNode {
  return (
    <div role="rowgroup" className={classes.headGroup}>
      <div role="row" className={classes.head} aria-rowindex={1}>
        {chosen && (
          <div role="columnheader" aria-label={uiTexts.many.column} className={classes.choice}>
            <SelectBox name={uiTexts.many.allLoaded} checked={chosen.all} onToggle={() => chosen.onAll(!chosen.all)} />
          </div>
        )}
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
