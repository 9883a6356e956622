import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { own } from '../own.js';
import { toolWords, uiTexts } from '../texts/ui.js';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'busy' | 'quiet' | 'warn' | 'bad';

/** Mantine's colour of each tone. */
export const colours: Readonly<Record<Tone, string>> = {
  good: 'teal',
  busy: 'accent',
  quiet: 'gray',
  warn: 'yellow',
  bad: 'red',
};

/** The tone of each outcome and state. */
const tones: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    'accepted',
    'active',
    'approved',
    'delivered',
    'handled',
    'in_force',
    'known',
    'ok',
    'passed',
    'reachable',
    'read',
    'ready',
    'redriven',
    'routed',
    'succeeded',
  ],
  busy: [
    'delivering',
    'invited',
    'open',
    'queued',
    'redriving',
    'refreshing',
    'replayed',
    'retrying',
    'running',
    'sending',
    'sent',
    'waiting',
    'working',
  ],
  quiet: [
    'cancelled',
    'challenge',
    'closed',
    'collected',
    'disabled',
    'dropped_bot',
    'dropped_echo',
    'duplicate',
    'expired',
    'handed_on',
    'ignored',
    'no_match',
    'no_reply',
    'partial',
    'not_applicable',
    'off',
    'removed',
    'resolved',
    'retired',
    'revoked',
    'skipped',
    'verification',
  ],
  warn: [
    'awaits_approval',
    'blocked_contact',
    'changed',
    'degraded',
    'drifted',
    'held',
    'held_unknown_sender',
    'incomplete',
    'loop_paused',
    'not_connected',
    'parked',
    'paused',
    'pending',
    'quarantined',
    'suspended',
    'taken_over',
    'unconfirmed',
    'unknown',
    'waiting_approval',
  ],
  bad: [
    'auth_failed',
    'blocked',
    'dead',
    'failed',
    'failing',
    'gone',
    'invalid',
    'lost',
    'needs_reconnect',
    'refused',
    'timed_out',
    'undecryptable',
    'undelivered',
    'unready',
  ],
};

const toneByState = new Map(
  Object.entries(tones).flatMap(([tone, states]) => states.map((state) => [state, tone as Tone])),
);

export const toneOf = (status: string): Tone => toneByState.get(status) ?? 'quiet';

interface StatusBadgeProps {
  status: string;
  tone?: Tone;
  /** A different word for the state than elsewhere. */
  label?: string;
}

/** The same look for each outcome or state everywhere. An unknown state is shown as it is. */
export function StatusBadge({ status, tone, label: given }: StatusBadgeProps): ReactNode {
  const label = given ?? own(uiTexts.outcomes, status) ?? status.replaceAll('_', ' ');
  return (
    <span className={classes.badge} data-tone={tone ?? toneOf(status)}>
      {label}
    </span>
  );
}

/** Whether models get the tool as it is. */
export function ToolStateBadge({ state }: { state: keyof typeof toolWords.states }): ReactNode {
  return <StatusBadge status={state} label={toolWords.states[state]} />;
}

const gradeColours = { read: 'gray', write: 'accent', destructive: 'red' } as const;

/** The most that a call of a tool can do. */
export function GradeBadge({ grade }: { grade: keyof typeof gradeColours }): ReactNode {
  return (
    <Badge
      component="span"
      variant="outline"
      color={gradeColours[grade]}
      radius="sm"
      size="sm"
      tt="none"
      fw={500}
      style={{ flexShrink: 0 }}
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      {toolWords.grades[grade]}
    </Badge>
  );
}
