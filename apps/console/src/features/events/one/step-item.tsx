import { UnstyledButton } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { duration } from '../../../ui/numbers.js';
import { colours, StatusBadge, type Tone } from '../../../ui/status-badge.js';
import type { Wait } from './steps.js';
import classes from './timeline.module.css';

/** A bar of the timeline: its place in the whole time, each value a share from 0 to 1. */
export interface Bar {
  from: number;
  to: number;
  /** Where nobody worked on it. */
  waits: { from: number; to: number }[];
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
  waits: readonly Wait[];
  open: boolean;
  onToggle: () => void;
  /** Still in progress. */
  pending?: boolean;
  /** What shows below while it is open; null: nothing more. */
  children?: ReactNode;
}

/** Below this, nobody notices a wait. */
const feltMs = 20;
/** From here on, somebody asks what it was for. */
const namedMs = 1_000;

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
    waits,
    open,
    onToggle,
    pending,
    children,
  } = props;
  const waited = waits.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const named = waits.filter(({ fromMs, toMs, what }) => what !== null && toMs - fromMs >= namedMs);
  const head = (
    <>
      <span>
        <span className={classes.title}>
          <span className={classes.name}>{title}</span>
          {status && <StatusBadge status={status} tone={tone} />}
        </span>
        <span className={classes.sentence}>{sentence}</span>
        {named.map(({ fromMs, toMs, what }) => (
          <span key={fromMs} className={classes.waited}>
            {eventPageTexts.waitedFor(duration(toMs - fromMs), what ?? '')}
          </span>
        ))}
      </span>
      <span className={classes.track} aria-hidden>
        {bar && <span className={classes.bar} style={placed(bar.from, bar.to)} />}
        {bar?.waits.map(({ from, to }) => (
          <span key={from} className={classes.wait} style={placed(from, to)} />
        ))}
      </span>
      <span className={classes.took}>
        {tookMs !== null && <span>{duration(tookMs)}</span>}
        {waited >= feltMs && named.length === 0 && <div>{eventPageTexts.waited(duration(waited))}</div>}
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
