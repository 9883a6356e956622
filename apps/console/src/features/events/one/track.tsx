import type { ReactNode } from 'react';
import classes from './timeline.module.css';

/** A bar of the timeline: its place in the whole time, each value a share from 0 to 1. */
export interface Bar {
  from: number;
  to: number;
  /** Where nobody worked on it. */
  waits: { from: number; to: number }[];
}

/** Where the time of a step went, on the axis of its timeline. */
export function Track({ bar }: { bar: Bar | null }): ReactNode {
  return (
    <span className={classes.track} aria-hidden>
      {bar && <span className={classes.bar} style={placed(bar.from, bar.to)} />}
      {bar?.waits.map(({ from, to }) => (
        <span key={from} className={classes.wait} style={placed(from, to)} />
      ))}
    </span>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const placed = (from: number, to: number) => ({ left: percent(from), width: percent(to - from) });
