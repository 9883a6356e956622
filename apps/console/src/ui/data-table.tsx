import { Button, Skeleton, Text } from '@mantine/core';
import type { ToOptions } from '@tanstack/react-router';
import { useWindowVirtualizer, windowScroll } from '@tanstack/react-virtual';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { CursorList } from '../api/project-query.js';
import { uiTexts } from '../texts/ui.js';
import { AsOf } from './as-of.js';
import { ExportList } from './export-list.js';
import { LateManyBar } from './late-many-bar.js';
import type { Many } from './many-bar.js';
import peekClasses from './row-peek.module.css';
import { useSelection } from './selection.js';
import { TableHead, TableRow } from './table-row.js';
import { sortedRows, useSort } from './use-sort.js';
import { ProblemAlert } from './notices.js';
import { useDrawnReady, useTouched } from './later.js';
import classes from './data-table.module.css';

const RowPeek = lazy(() => import('./row-peek.js'));

export interface Column<Row> {
  id: string;
  label: string;
  cell: (row: Row) => ReactNode;
  /** A track of a CSS grid. */
  width?: string;
  /** The value that rows are sorted by here, once all rows are loaded. */
  value?: (row: Row) => string | number | null;
  /** The API orders by this column: newest first, unless `useOrder` asks for the oldest. */
  ordered?: boolean;
  /** Hidden on narrow screens. */
  hideOnPhone?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  columns: Column<Row>[];
  list: Pick<CursorList<Row>, 'rows' | 'loading' | 'error'> & Partial<CursorList<Row>>;
  rowKey: (row: Row) => string;
  /** Where a row leads: its first cell is the link; Enter and a click anywhere in the row follow it too. */
  rowLink?: (row: Row) => ToOptions;
  /** What a row is about, shown beside the list: Space or `p` in the list. */
  peek?: (row: Row) => ReactNode;
  /** What can be done with several rows. */
  many?: Many<Row>;
  /** Shown when there are no rows. */
  empty: ReactNode;
}

const rowHeight = 44;
/** Extra rows rendered beyond those in sight, once somebody may scroll. */
const overscan = 12;
/** The next page is requested this many rows before the end. */
const ahead = 10;

/** A list of any length: only the rows in sight are rendered, and more are loaded while scrolling down. */
export function DataTable<Row extends object>(props: DataTableProps<Row>): ReactNode {
  const { label, list, rowKey, rowLink, peek, many, empty } = props;
  const { hasMore = false, loadingMore = false, loadMore } = list;
  const [sort, onSort] = useSort();
  const rows = hasMore ? list.rows : sortedRows(list.rows, props.columns, sort);
  const selection = useSelection(rows, rowKey);
  const [peeks, setPeeks] = useState(false);
  // Beside the list there is room for as many as on a phone.
  const columns = peeks ? props.columns.filter(({ hideOnPhone }) => hideOnPhone !== true) : props.columns;
  const [top, setTop] = useState(0);
  // Rows come and go while somebody reads: the active one is followed by its key, and replaced where it stood when it has gone.
  const [active, setActive] = useState<{ index: number; key: string | null }>({ index: 0, key: null });
  const ready = useDrawnReady(!list.loading);
  const touched = useTouched();
  const body = useRef<HTMLDivElement>(null);
  // After painting: measuring earlier would force an extra layout.
  useEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: touched ? overscan : 0,
    scrollMargin: top,
    // The observer reports row heights after layout: measuring them directly would force another layout.
    measureElement: (element, entry, { measurementsCache }) =>
      borderHeight(entry) ?? measurementsCache[Number(element.getAttribute('data-index'))]?.size ?? rowHeight,
    // The virtualizer first scrolls to where the window already is; that is skipped.
    scrollToFn: (offset, options, list) => {
      if (offset !== list.scrollOffset || options.adjustments) windowScroll(offset, options, list);
    },
    getItemKey: (index) => (rows[index] ? rowKey(rows[index]) : index),
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !list.error && last >= rows.length - ahead) loadMore?.();
  }, [hasMore, last, rows.length, loadingMore]);

  // It stays while it works, whatever becomes of the rows.
  const bar = many && (
    <Suspense>{selection.touched && <LateManyBar {...many} keyOf={rowKey} selection={selection} />}</Suspense>
  );
  const instead = (): ReactNode => {
    if (!ready) return <TableSkeleton columns={columns.length} />;
    if (rows.length > 0) return null;
    if (list.error) return <ProblemAlert error={list.error} onRetry={list.refresh} />;
    return hasMore ? <StillSearching loading={loadingMore} onMore={loadMore} /> : empty;
  };
  const notice = instead();
  if (notice !== null)
    return (
      <>
        {notice}
        {bar}
      </>
    );

  const activate = (index: number): void => {
    const row = rows[index];
    setActive({ index, key: row ? rowKey(row) : null });
  };
  const go = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    activate(next);
    virtualizer.scrollToIndex(next, { align: 'auto' });
  };
  const template = [...(many ? ['20px'] : []), ...columns.map(({ width }) => width ?? 'minmax(0, 1fr)')].join(' ');
  const followed = active.key === null ? -1 : rows.findIndex((row) => rowKey(row) === active.key);
  const open = followed >= 0 ? followed : Math.min(active.index, rows.length - 1);
  const peeked = peeks && rows[open];
  const closePeek = (hadFocus: boolean): void => {
    setPeeks(false);
    if (!hadFocus) return;
    virtualizer.scrollToIndex(open, { align: 'auto' });
    // Scrolled far away, the row is drawn again with the next frame.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-index="${open}"]`)?.focus());
  };
  const table = (
    <div className={classes.table} style={{ '--gh-columns': template }}>
      <div role="table" aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <TableHead
          columns={columns}
          sort={sort}
          whole={!hasMore}
          onSort={onSort}
          chosen={many && { all: selection.chosen.length === rows.length, onAll: selection.all }}
        />
        <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }} ref={body}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <TableRow
                  key={key}
                  index={index}
                  offset={start - top}
                  measure={virtualizer.measureElement}
                  columns={columns}
                  row={row}
                  linkOf={rowLink}
                  active={index === open}
                  onMove={(to) => go(to)}
                  onReach={() => activate(index)}
                  lastIndex={rows.length - 1}
                  onPeek={
                    peek &&
                    (() => {
                      activate(index);
                      setPeeks(index !== open || !peeks);
                    })
                  }
                  choice={
                    many && {
                      name: many.nameOf(row),
                      checked: selection.has(rowKey(row)),
                      onToggle: (range) => selection.toggle(rowKey(row), range),
                    }
                  }
                />
              )
            );
          })}
        </div>
      </div>
      <div className={classes.foot}>
        {list.error && <ProblemAlert error={list.error} onRetry={loadMore} />}
        {hasMore ? (
          <Button variant="subtle" color="gray" loading={loadingMore} onClick={loadMore}>
            {uiTexts.loadMore}
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            {uiTexts.endOfList}
          </Text>
        )}
        <AsOf at={list.asOf} />
        <ExportList label={label} list={list} />
      </div>
    </div>
  );
  return (
    <>
      {peek ? (
        <div className={peeked ? peekClasses.beside : undefined}>
          {table}
          {peeked && (
            <Suspense>
              <RowPeek to={rowLink?.(peeked)} onClose={closePeek}>
                {peek(peeked)}
              </RowPeek>
            </Suspense>
          )}
        </div>
      ) : (
        table
      )}
      {bar}
    </>
  );
}

/** The API looks through a part of everything at a time, and this part has none. The next one is asked for at once. */
function StillSearching({ loading, onMore }: { loading: boolean; onMore: (() => void) | undefined }): ReactNode {
  return (
    <div className={classes.foot}>
      <Text size="sm" c="dimmed" role="status">
        {uiTexts.stillSearching}
      </Text>
      <Button variant="subtle" color="gray" loading={loading} onClick={onMore}>
        {uiTexts.loadMore}
      </Button>
    </div>
  );
}

function borderHeight(entry: ResizeObserverEntry | undefined): number | undefined {
  const height = entry?.borderBoxSize[0]?.blockSize;
  return height && Math.round(height);
}

/** Takes the space of the rows that are loading. */
function TableSkeleton({ columns, rows = 8 }: { columns: number; rows?: number }): ReactNode {
  return (
    <div className={classes.table} role="status" aria-label={uiTexts.loading}>
      {Array.from({ length: rows }, (_row, index) => (
        <div key={index} className={classes.skeleton}>
          {Array.from({ length: columns }, (_column, at) => (
            <Skeleton key={at} height={12} width={`${55 + ((index * 7 + at * 13) % 40)}%`} />
          ))}
        </div>
      ))}
    </div>
  );
}
