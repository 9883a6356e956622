import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './numbered-list.module.css';

/** Things whose order counts, within a `<Section flush>`. */
export function NumberedList({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <ol className={classes.list} aria-label={label}>
      {children}
    </ol>
  );
}

interface NumberedItemProps {
  /** In one line: its name, its kind, its state. */
  heading: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function NumberedItem({ heading, actions, children }: NumberedItemProps): ReactNode {
  return (
    <li className={classes.item}>
      <div className={classes.head}>
        <div className={classes.heading}>{heading}</div>
        {actions && (
          <Group gap={4} wrap="nowrap">
            {actions}
          </Group>
        )}
      </div>
      {children}
    </li>
  );
}
