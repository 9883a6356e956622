import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './field-list.module.css';

/** The properties of a thing; fields without a value are left out. */
export function FieldList({ fields }: { fields: readonly [label: string, value: ReactNode][] }): ReactNode {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return (
    <dl className={classes.list}>
      {shown.map(([label, value]) => (
        <div key={label} className={classes.field}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <dd className={classes.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
