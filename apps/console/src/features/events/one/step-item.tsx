import { UnstyledButton } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { duration } from '../../../ui/numbers.js';
import { colours, StatusBadge, type Tone } from '../../../ui/status-badge.js';
import classes from './timeline.module.css';

/** A bar of the timeline: its place in the whole time, each value a share from 0 to 1. */
export interface Bar {
  from: number;
  to: number;
  /** Where its waiting began. */
  waitedFrom: number | null;
}

interface StepItemProps {
  id: string;
  icon: LucideIcon;
  title: string;
  status: string | null;
  tone: Tone;
  sentence: ReactNode;
  bar: Bar | null;
  tookMs: number | null;
  waitedMs: number | null;
  open: boolean;
  onToggle: () => void;
  /** Still in progress. */
  pending?: boolean;
  /** What shows below while it is open; null: nothing more. */
  children?: ReactNode;
}

/** Below this, nobody notices a wait. */
const feltMs = 20;

export function StepItem(props: StepItemProps): ReactNode {
  const {
    id,
    icon: Icon,
    title,
    status,
    tone,
    sentence,
    bar,
    tookMs,
    waitedMs,
    open,
    onToggle,
    pending,
    children,
  } = props;
  const head = (
    <>
      <span>
        <span className={classes.title}>
          <span className={classes.name}>{title}</span>
          {status && <StatusBadge status={status} tone={tone} />}
        </span>
        <span className={classes.sentence}>{sentence}</span>
      </span>
      <span className={classes.track} aria-hidden>
        {bar && bar.waitedFrom !== null && <span className={classes.wait} style={placed(bar.waitedFrom, bar.from)} />}
        {bar && <span className={classes.bar} style={placed(bar.from, bar.to)} />}
      </span>
      <span className={classes.took}>
        {tookMs !== null && <span>{duration(tookMs)}</span>}
        {waitedMs !== null && waitedMs >= feltMs && <div>{eventPageTexts.waited(duration(waitedMs))}</div>}
      </span>
    </>
  );
  return (
    <li
      id={id}
      className={pending ? `${classes.step} ${classes.pending}` : classes.step}
      style={{ '--gh-tone': `var(--mantine-color-${colours[tone]}-6)` }}
    >
      <span className={classes.mark}>
        <Icon size={14} aria-hidden />
      </span>
      {children ? (
        <UnstyledButton className={classes.head} aria-expanded={open} onClick={onToggle}>
          {head}
        </UnstyledButton>
      ) : (
        <div className={classes.head}>{head}</div>
      )}
      {open && children && <div className={classes.body}>{children}</div>}
    </li>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const placed = (from: number, to: number) => ({ left: percent(from), width: percent(to - from) });
