import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import classes from './data-table.module.css';

/** Takes the room of the rows that come. */
export function TableSkeleton({ columns, rows = 8 }: { columns: number; rows?: number }): ReactNode {
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
