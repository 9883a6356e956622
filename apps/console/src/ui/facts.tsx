import { Paper, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './facts.module.css';

/** Names and values, stacked. Names without a value are left out. */
export function Facts({ of }: { of: readonly (readonly [label: string, value: ReactNode])[] }): ReactNode {
  const shown = of.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return (
    <dl className={classes.facts}>
      {shown.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

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

/** One number that answers a question. */
export function StatTile({ label, value, hint }: { label: string; value: ReactNode; hint?: ReactNode }): ReactNode {
  return (
    <Paper px="md" py="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz="1.375rem" fw={600} lh={1.3}>
        {value}
      </Text>
      {hint && (
        <Text size="xs" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </Paper>
  );
}
