import { UnstyledButton } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { eventPageTexts } from '../../../texts/event.js';
import { duration } from '../../../ui/numbers.js';
import { colours, StatusBadge, type Tone } from '../../../ui/status-badge.js';
import { namedWaits, type Wait } from './steps.js';
import { type Bar, Track } from './track.js';
import classes from './timeline.module.css';

interface StepItemProps {
  id: string;
  icon: LucideIcon;
  title: string;
  status: string | null;
  tone: Tone;
  sentence: ReactNode;
  /** Below the sentence, in smaller letters. */
  notes?: ReactNode;
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

export function StepItem(props: StepItemProps): ReactNode {
  const {
    id,
    icon: Icon,
    title,
    status,
    tone,
    sentence,
    notes,
    bar,
    tookMs,
    waits,
    open,
    onToggle,
    pending,
    children,
  } = props;
  const waited = waits.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const named = namedWaits(waits).filter(({ ms }) => ms >= feltMs);
  const head = (
    <>
      <span>
        <span className={classes.title}>
          <span className={classes.name}>{title}</span>
          {status && <StatusBadge status={status} tone={tone} />}
        </span>
        <span className={classes.sentence}>{sentence}</span>
        {notes}
        {named.map(({ what, times, ms }) => (
          <span key={what} className={classes.waited}>
            {eventPageTexts.waitedFor(duration(ms), what, times)}
          </span>
        ))}
      </span>
      <Track bar={bar} />
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
