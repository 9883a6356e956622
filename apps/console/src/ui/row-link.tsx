import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './row-link.module.css';

/** One of a few stacked items, each leading to its page. */
export function RowLink({ to, children }: { to: ToOptions; children: ReactNode }): ReactNode {
  return (
    <Link {...to} className={classes.link}>
      {children}
    </Link>
  );
}
