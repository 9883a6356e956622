import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './row-list.module.css';

/** A short list whose rows have actions. For a long one, use `DataTable`. */
export function RowList({ children }: { children: ReactNode }): ReactNode {
  return <ul className={classes.list}>{children}</ul>;
}

export function ListRow({ children }: { children: ReactNode }): ReactNode {
  return <li className={classes.row}>{children}</li>;
}

/** One of a few stacked items, each leading to its page. */
export function RowLink({ to, children }: { to: ToOptions; children: ReactNode }): ReactNode {
  return (
    <Link {...to} className={classes.link}>
      {children}
    </Link>
  );
}
