import { Check as Passed, CircleAlert, Minus, OctagonMinus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './check-list.module.css';

/** `pass`: it continued. `miss`: no match. `stop`: it ended here. `note`: worth knowing. `none`: not checked. */
export type CheckState = 'pass' | 'miss' | 'stop' | 'note' | 'none';

const icons = { pass: Passed, miss: X, stop: OctagonMinus, note: CircleAlert, none: Minus } as const;

export function CheckList({ children }: { children: ReactNode }): ReactNode {
  return <ul className={classes.list}>{children}</ul>;
}

interface CheckProps {
  name: string;
  state: CheckState;
  children: ReactNode;
}

/** One check on the way, and its result in words. */
export function Check({ name, state, children }: CheckProps): ReactNode {
  const Icon = icons[state];
  return (
    <li className={classes.check} data-state={state}>
      <Icon size={15} strokeWidth={2.25} aria-hidden className={classes.icon} />
      <span className={classes.name}>{name}</span>
      <div className={classes.said}>{children}</div>
    </li>
  );
}
