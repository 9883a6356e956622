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
